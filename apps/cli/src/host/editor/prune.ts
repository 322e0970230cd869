import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Parts for online accounts or other operating systems. */
const NEEDLESS = [
  ...(['node_modules/@github', 'node_modules/@microsoft/mxc-sdk', 'extensions/copilot'] as const),
  ...(['extensions/microsoft-authentication', 'extensions/mermaid-markdown-features'] as const),
  'node_modules/@vscode/windows-process-tree',
  // The compiler; only TypeScript's language server is used.
  ...(['_tsc.js', 'tsc.js'] as const).map(
    (name) => `extensions/node_modules/typescript/lib/${name}`,
  ),
];
/** Folders with one binary for each operating system. */
const BY_SYSTEM = ['node_modules/@vscode/ripgrep-universal/bin', 'node_modules/node-pty/prebuilds'];

/** Removes unused parts, more than half of the size. `folder` is `lib/vscode` of code-server. */
export async function prune(folder: string): Promise<void> {
  const own = `linux-${process.arch}`;
  const foreign = BY_SYSTEM.map((path) => join(folder, path))
    .filter((path) => existsSync(join(path, own)))
    .flatMap((path) =>
      readdirSync(path).flatMap((name) => (name === own ? [] : [join(path, name)])),
    );
  for (const path of [...NEEDLESS.map((name) => join(folder, name)), ...foreign])
    await rm(path, { recursive: true, force: true });
  await promisify(execFile)('find', [folder, '-type', 'f', '-name', '*.map', '-delete']);
}
