import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLUGIN = '@opencode-ai/plugin';
const INSTALLED = fileURLToPath(new URL(`../../node_modules/${PLUGIN}`, import.meta.url));

/** The variables of an OpenCode that lives in `home`, reaches nothing outside, and knows no models but those of `config`. */
export function opencodeEnvironment(home: string, config: object): Record<string, string> {
  const noModels = join(home, 'models.json');
  writeFileSync(noModels, '{}');
  seedPlugin(join(home, 'config', 'opencode'));
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

/**
 * Without this package in its configuration folder OpenCode installs it from the registry, again for each directory that it
 * works in: seconds of processor time for every test, and traffic that leaves the machine.
 */
function seedPlugin(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@opencode-ai'), { recursive: true });
  symlinkSync(INSTALLED, join(modules, PLUGIN));
  const manifest = readFileSync(join(INSTALLED, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const dependencies = { [PLUGIN]: version };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  const packages = { '': { dependencies }, [`node_modules/${PLUGIN}`]: { version } };
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, packages }),
  );
}
