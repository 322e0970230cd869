import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from './steps.ts';

/**
 * Adds one file with one import and runs the real linter, with the real configuration. It does so in a copy of the
 * layout: a stray file in the tree itself would trigger a rebuild under tests that run at the same time.
 */
function lint(folder: string, imported: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'ship-lint-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(join(ROOT, '.oxlintrc.json'), join(copy, '.oxlintrc.json'));
  mkdirSync(join(copy, folder), { recursive: true });
  writeFileSync(
    join(copy, folder, 'added.ts'),
    `import * as added from '${imported}';\nexport const used = added;\n`,
  );
  return spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['.'], { cwd: copy, encoding: 'utf8' })
    .stdout;
}

describe('[AR1] dependencies point one way', () => {
  it.each([
    ['packages/protocol/src', '@ship/core'],
    ['packages/protocol/src', 'node:fs/promises'],
    ['packages/protocol/src', '../../core/src/index.ts'],
    ['packages/core/src', '@ship/control-plane'],
    ['packages/core/src', 'node:fs'],
    ['packages/core/src', 'cloudflare:workers'],
    ['apps/control-plane/src', '@ship/sandbox-server'],
    ['apps/control-plane/src', '@ship/forge'],
    ['apps/control-plane/src', 'node:child_process'],
    ['apps/control-plane/src', 'node:fs/promises'],
    ['apps/web/src', '@ship/control-plane'],
    ['apps/web/src', 'node:path'],
    ['apps/cli/src', '../../../packages/core/src/index.ts'],
  ])('%s may not import %s', (folder, imported) => {
    expect(lint(folder, imported)).toContain('no-restricted-imports');
  });

  it.each([
    ['packages/core/src', '@ship/protocol'],
    ['apps/control-plane/src', '@ship/core'],
    ['apps/web/src', '@ship/protocol'],
  ])('%s may import %s', (folder, imported) => {
    expect(lint(folder, imported)).not.toContain('no-restricted-imports');
  });
});
