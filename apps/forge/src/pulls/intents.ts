import { existsSync } from 'node:fs';
import { type Forge, placeOf } from '../forge.ts';
import { branchRef } from '../git/ref-names.ts';
import { changeRef, readRef } from '../git/refs.ts';
import { indexHasTree } from '../git/worktrees.ts';
import type { MergeIntentRow, RepositoryRow } from '../store/rows.ts';

/**
 * Merges that were begun. Whoever holds the lane and finds one is either the merge itself, right after the base moved,
 * or comes after a crash. A crash between the files of a working copy and its branch is finished here: the files have
 * the merge already, so the branch gets it too.
 */
export async function settleIntents(
  forge: Forge,
  repository: RepositoryRow,
): Promise<MergeIntentRow[]> {
  const place = placeOf(forge, repository);
  const intents = forge.store.pulls.intents(repository.id);
  for (const intent of intents) {
    if (intent.folder === null || !existsSync(intent.folder)) continue;
    const name = branchRef(forge.store.pulls.byId(intent.issue_id).base_ref);
    const ref = await readRef(place, name);
    if (ref?.sha !== intent.before_sha) continue;
    if (await indexHasTree(place, intent.folder, intent.after_sha))
      await changeRef(place, name, intent.before_sha, intent.after_sha, 'finish a merge');
  }
  return intents;
}
