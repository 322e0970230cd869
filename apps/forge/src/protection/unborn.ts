import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../git/environment.ts';
import { isForeign } from '../git/own-store.ts';
import { readRef } from '../git/refs.ts';
import { headBranch, linkedEntries } from '../git/worktree-files.ts';

/**
 * A branch that is checked out and has no commit yet may get one without files: the user's index and files stay as they
 * are, and `git status` lists the same changes as before. Any other commit would make files seem deleted.
 */
const SCRIPT = `#!/bin/sh
[ -n "$SHIP_FORGE_UNBORN" ] || exit 0
while read -r _ after ref; do
  [ "$ref" = "$SHIP_FORGE_UNBORN" ] || continue
  case $after in *[!0]*) ;; *) continue ;; esac
  [ "$(git rev-parse --verify --quiet "$after^{tree}")" = 4b825dc642cb6eb9a060e54bf8d69288fbee4904 ] && continue
  echo "Ship: \${ref#refs/heads/} is checked out. Make its first commit there yourself." >&2
  exit 1
done
`;

/** A check of its own, called by the `pre-receive` hook. */
const NAME = 'refuse-files';

export function layUnbornHook(hooksDir: string): void {
  const file = join(hooksDir, NAME);
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o700);
}

interface UnbornRules {
  settings: Array<[string, string]>;
  environment: Record<string, string>;
}

/**
 * How git runs for a push into a folder whose branch has no commit yet. With linked worktrees git's own refusal stays: the
 * setting would hold for the branches that are checked out there as well.
 */
export async function unbornRules(place: Place): Promise<UnbornRules> {
  const none = { settings: [], environment: {} };
  if (!isForeign(place) || linkedEntries(place.gitDir).length > 0) return none;
  const branch = headBranch(place.gitDir);
  if (branch === undefined || (await readRef(place, `refs/heads/${branch}`)) !== undefined)
    return none;
  return {
    settings: [['receive.denyCurrentBranch', 'ignore']],
    environment: { SHIP_FORGE_UNBORN: `refs/heads/${branch}` },
  };
}
