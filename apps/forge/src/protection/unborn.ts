import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryPaths } from '../git/environment.ts';
import { isUserRepository } from '../git/private-store.ts';
import { readRef } from '../git/refs.ts';
import { headBranch, linkedEntries } from '../git/worktree-files.ts';

/**
 * An unborn branch that is checked out may receive a commit without files: the user's index and files stay unchanged, and
 * `git status` lists the same changes as before. After any other commit, git would report files as deleted.
 */
const SCRIPT = `#!/bin/sh
[ -n "$SHIP_FORGE_UNBORN" ] || exit 0
while read -r _ after ref; do
  [ "$ref" = "$SHIP_FORGE_UNBORN" ] || continue
  case $after in *[!0]*) ;; *) continue ;; esac
  [ "$(git rev-parse --verify --quiet "$after^{tree}")" = 4b825dc642cb6eb9a060e54bf8d69288fbee4904 ] && continue
  echo "Ship: \${ref#refs/heads/} is checked out. Create its first commit in the folder yourself." >&2
  exit 1
done
`;

/** Called by the `pre-receive` hook. */
const NAME = 'refuse-files';

export function installUnbornCheck(hooksDir: string): void {
  const file = join(hooksDir, NAME);
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o700);
}

interface UnbornRules {
  settings: Array<[string, string]>;
  environment: Record<string, string>;
}

/**
 * git settings for a push into a folder with an unborn branch. With linked worktrees git keeps refusing such pushes: the
 * setting would also apply to the branches that are checked out there.
 */
export async function unbornRules(paths: RepositoryPaths): Promise<UnbornRules> {
  const none = { settings: [], environment: {} };
  if (!isUserRepository(paths) || linkedEntries(paths.gitDir).length > 0) return none;
  const branch = headBranch(paths.gitDir);
  if (branch === undefined || (await readRef(paths, `refs/heads/${branch}`)) !== undefined)
    return none;
  return {
    settings: [['receive.denyCurrentBranch', 'ignore']],
    environment: { SHIP_FORGE_UNBORN: `refs/heads/${branch}` },
  };
}
