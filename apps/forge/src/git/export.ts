import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RepositoryPaths, refEnvironment } from './environment.ts';
import { GitError } from './git-error.ts';
import { openRepository } from './open.ts';
import { isUserRepository } from './private-store.ts';

/**
 * Reads lines `OLD NEW REF` and copies the objects of new branches and tags that are missing from the user's object store,
 * `SHIP_FORGE_EXPORT`. It runs before the ref moves: a crash in between leaves unreferenced objects, never a branch with
 * missing objects. Objects that other branches of the user reach are skipped.
 */
const SCRIPT = `#!/bin/sh
[ -n "$SHIP_FORGE_EXPORT" ] || exit 0
new=
while read -r _ after ref; do
  case $ref in refs/heads/* | refs/tags/*) case $after in *[!0]*) new="$new $after" ;; esac ;; esac
done
[ -n "$new" ] || exit 0
in_folder() { GIT_OBJECT_DIRECTORY=$SHIP_FORGE_EXPORT GIT_ALTERNATE_OBJECT_DIRECTORIES= git "$@"; }
reached=$(git rev-list --objects --no-object-names --ignore-missing $new --not --branches --tags --) || exit 1
[ -n "$reached" ] || exit 0
missing=$(echo "$reached" | in_folder cat-file --batch-check='%(objectname)' | sed -n 's/ missing$//p')
[ -n "$missing" ] || exit 0
# The exit code of the first command of a pipe is lost, but a truncated pack makes the second command fail.
echo "$missing" | git pack-objects -q --stdout | in_folder index-pack --stdin > /dev/null || {
  echo 'Ship: cannot write the objects of this branch into the folder' >&2
  exit 1
}
`;
const NAME = 'export-objects';

export function installExportScript(hooksDir: string): void {
  const file = join(hooksDir, NAME);
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o700);
}

/** The forge creates this folder at startup. */
export function hooksDirOf({ neutralDir }: RepositoryPaths): string {
  return join(dirname(neutralDir), 'hooks');
}

/** For the script, both as a push hook and when run directly. */
export function exportEnvironment(paths: RepositoryPaths): Record<string, string> {
  return isUserRepository(paths) ? { SHIP_FORGE_EXPORT: join(paths.gitDir, 'objects') } : {};
}

/** Call before a branch or a tag in the user's folder moves to `sha`. */
export async function exportObjects(
  paths: RepositoryPaths,
  sha: string,
  ref: string,
): Promise<void> {
  if (!isUserRepository(paths)) return;
  const cwd = await openRepository(paths);
  const script = join(hooksDirOf(paths), NAME);
  const env = { ...refEnvironment(paths), ...exportEnvironment(paths) };
  await new Promise<void>((resolve, reject) => {
    const child = spawn('sh', [script], { cwd, env, stdio: ['pipe', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < 64 * 1024) stderr += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new GitError([NAME, sha], code, stderr));
    });
    child.stdin.end(`- ${sha} ${ref}\n`);
  });
}
