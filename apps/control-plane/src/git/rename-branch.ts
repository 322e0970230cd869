import { sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { betterBranch } from './choose-branch.ts';
import type { GitDeps } from './deps.ts';
import { script } from './work/shell.ts';

/** Where the agent is on another branch than its own, that is left as it is: delivering brings the work together. */
const RENAME = `repo=$1 old=$2 new=$3
IFS= read -r head < "$repo/.git/HEAD" || true
[ "$head" = "ref: refs/heads/$old" ] || exit 0
exec git --git-dir="$repo/.git" -c core.hooksPath=/dev/null branch -m "$old" "$new"`;

/**
 * Before the first push the branch gets the name that the work has got meanwhile. `record` comes before anything is
 * pushed under it: a crash in between finds the branch by the name that is written down.
 */
export async function renameBranch(
  { shell, folder, forge, session, git }: GitDeps,
  record: (events: SessionEvent[]) => void,
): Promise<void> {
  const name = await betterBranch(forge, session, git);
  if (name === undefined || git.branch === null) return;
  record([sessionEvent('branch.renamed', { branch: name })]);
  await script(shell, RENAME, [folder, git.branch, name]);
}
