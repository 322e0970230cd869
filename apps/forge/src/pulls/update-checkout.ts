import type { RepositoryPaths } from '../git/environment.ts';
import { updateWorktreeFiles, usesFilters, worktreeUpdateBlocker } from '../git/worktrees.ts';

/**
 * Updates the files of a checked-out branch to a merge, before the branch itself moves. If only the branch moved, the
 * folder would look as if the user had reverted the merge, and the next commit there would revert it. Files are updated
 * only in a clean folder; otherwise nothing changes and the error says what to do.
 */
export async function updateCheckedOutFiles(
  paths: RepositoryPaths,
  folder: string,
  ref: string,
  before: string,
  after: string,
): Promise<string | undefined> {
  const branch = ref.slice('refs/heads/'.length);
  const refuse = (why: string) =>
    `Pull Request is not mergeable: ${branch} is checked out and ${why}. ` +
    'Commit or stash the changes there, or switch to another branch, then merge again.';
  const why = await worktreeUpdateBlocker(paths, folder, before);
  if (why !== undefined) return refuse(why);
  if ((await usesFilters(paths, before)) || (await usesFilters(paths, after)))
    return refuse(`${folder} uses content filters (such as LFS), which only your own git may run`);
  const failed = await updateWorktreeFiles(paths, folder, before, after);
  return failed === undefined
    ? undefined
    : refuse(`its files cannot be updated (${failed.split('\n').join(' ')})`);
}
