import type { Place } from '../git/environment.ts';
import { moveFiles, usesFilters, whyNotMovable } from '../git/worktrees.ts';

/**
 * Brings the files of a checked-out branch to a merge, before the branch itself moves. Moving only the branch would make
 * the folder look as if the user had undone the merge, and the next commit there would undo it indeed. So the files go
 * first, and only in a folder with nothing to lose; otherwise nothing changes and the answer says what to do.
 */
export async function bringForward(
  place: Place,
  folder: string,
  ref: string,
  before: string,
  after: string,
): Promise<string | undefined> {
  const branch = ref.slice('refs/heads/'.length);
  const refuse = (why: string) =>
    `Pull Request is not mergeable: ${branch} is checked out and ${why}. ` +
    'Commit or stash the changes there, or switch to another branch, then merge again.';
  const why = await whyNotMovable(place, folder, before);
  if (why !== undefined) return refuse(why);
  if ((await usesFilters(place, before)) || (await usesFilters(place, after)))
    return refuse(`${folder} uses content filters (such as LFS), which only your own git may run`);
  const failed = await moveFiles(place, folder, before, after);
  return failed === undefined
    ? undefined
    : refuse(`its files cannot be updated (${failed.split('\n').join(' ')})`);
}
