import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Place, refEnvironment } from './environment.ts';
import { GitError } from './git-error.ts';
import { openRepository } from './open.ts';
import { isForeign } from './own-store.ts';

/**
 * Reads lines `OLD NEW REF` and writes into the user's object store, `SHIP_FORGE_EXPORT`, what it lacks of the new
 * branches and tags. It runs before the ref moves: a crash in between leaves objects that nothing refers to, never a
 * branch with missing objects. What the user's other branches reach is there already.
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
# The exit code of the first command of a pipe is lost; a pack that breaks off makes the second one fail.
echo "$missing" | git pack-objects -q --stdout | in_folder index-pack --stdin > /dev/null || {
  echo 'Ship: the objects of this branch cannot be written into the folder' >&2
  exit 1
}
`;
const NAME = 'export-objects';

export function layExportScript(hooksDir: string): void {
  const file = join(hooksDir, NAME);
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o700);
}

/** Made at the start of the forge. */
export function hooksDirOf({ neutralDir }: Place): string {
  return join(dirname(neutralDir), 'hooks');
}

/** For the script, as a hook of a push and on its own. */
export function exportEnvironment(place: Place): Record<string, string> {
  return isForeign(place) ? { SHIP_FORGE_EXPORT: join(place.gitDir, 'objects') } : {};
}

/** Before a branch or a tag of the user's folder moves to `sha`. */
export async function exportObjects(place: Place, sha: string, ref: string): Promise<void> {
  if (!isForeign(place)) return;
  const cwd = await openRepository(place);
  const script = join(hooksDirOf(place), NAME);
  const env = { ...refEnvironment(place), ...exportEnvironment(place) };
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
