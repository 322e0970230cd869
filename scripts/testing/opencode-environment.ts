import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variables of an OpenCode that lives in `home`, reaches nothing outside, and knows no models but those of `config`. */
export function opencodeEnvironment(home: string, config: object): Record<string, string> {
  const noModels = join(home, 'models.json');
  writeFileSync(noModels, '{}');
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    // It unpacks libraries there; in /tmp they would stay.
    TMPDIR: tmpdir(),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      lsp: false,
      formatter: false,
      // Its git commands per step cost more time than everything else here together.
      snapshot: false,
      ...config,
    }),
    OPENCODE_CLIENT: 'serve',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_MODELS_PATH: noModels,
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_CLAUDE_CODE: '1',
    OPENCODE_DISABLE_EMBEDDED_WEB_UI: '1',
    BUN_JSC_forceRAMSize: '536870912',
  };
}
