import { type Forge, placeOf } from '../forge.ts';
import { noObject } from '../git/ref-names.ts';
import { changeRef } from '../git/refs.ts';
import { headBranch } from '../git/revisions.ts';
import { checkedOutAt } from '../git/worktrees.ts';
import type { ForgeContext } from '../http/context.ts';
import { unprocessable } from '../http/errors.ts';
import { syncRefs } from '../pulls/sync.ts';

/** Moves, makes or deletes a ref for the API; never one that the user has checked out. */
export async function changeBranch(
  forge: Forge,
  c: ForgeContext,
  ref: string,
  before: string,
  after: string,
): Promise<void> {
  const repository = c.get('repository');
  const place = placeOf(forge, repository);
  await forge.lanes.of(repository.id).run(async () => {
    if (repository.kind === 'folder') {
      const folder = await checkedOutAt(place, ref);
      if (folder !== undefined)
        throw unprocessable(
          `${ref} is checked out in ${folder}. Switch to another branch there first.`,
        );
      // A branch without a commit is checked out too: files would seem deleted once it had one.
      if (`refs/heads/${(await headBranch(place)) ?? ''}` === ref)
        throw unprocessable(`${ref} is checked out. Make the first commit there yourself.`);
    } else if (after === noObject && ref === `refs/heads/${repository.default_branch}`)
      throw unprocessable('Cannot delete the default branch');
    const change = await changeRef(place, ref, before, after, 'api');
    if (change.kind === 'moved')
      throw unprocessable('Reference cannot be updated: it moved meanwhile');
    if (change.kind === 'refused')
      throw unprocessable(`Reference cannot be updated: ${change.reason}`);
    await syncRefs(forge, repository, c.get('actor').user);
  });
}
