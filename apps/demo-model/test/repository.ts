/** Temporary git repositories for the agent to work in. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `demo-model-${name}-`));
}

export function makeRepository(name: string, files: Record<string, string>): string {
  const folder = temporaryFolder(name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  commitAll(folder);
  return folder;
}

export function commitAll(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
}

export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
}
