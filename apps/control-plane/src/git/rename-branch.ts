import { sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { betterBranch } from './choose-branch.ts';
import type { GitDeps } from './deps.ts';
import { script } from './work/shell.ts';

/** Does nothing where the agent is on another branch than the session's: delivering merges that work. */
const RENAME = `repo=$1 old=$2 new=$3
IFS= read -r head < "$repo/.git/HEAD" || true
[ "$head" = "ref: refs/heads/$old" ] || exit 0
exec git --git-dir="$repo/.git" -c core.hooksPath=/dev/null branch -m "$old" "$new"`;

/**
 * Renames the branch after the work's title before the first push. `record` comes before anything is pushed under the new name:
 * after a crash in between, the recorded name is used.
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
