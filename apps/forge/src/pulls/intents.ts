import { existsSync } from 'node:fs';
import { type Forge, pathsOf } from '../forge.ts';
import { branchRef } from '../git/ref-names.ts';
import { changeRef, readRef } from '../git/refs.ts';
import { indexHasTree } from '../git/worktrees.ts';
import type { MergeIntentRow, RepositoryRow } from '../store/rows.ts';

/**
 * Returns the intents of started merges. In the repository's queue an intent is either from the current merge, right after
 * the base moved, or from before a crash. After a crash between updating a working copy's files and its branch, this moves
 * the branch: the files already have the merge.
 */
export async function finishInterruptedMerges(
  forge: Forge,
  repository: RepositoryRow,
): Promise<MergeIntentRow[]> {
  const paths = pathsOf(forge, repository);
  const intents = forge.store.pulls.intents(repository.id);
  for (const intent of intents) {
    if (intent.folder === null || !existsSync(intent.folder)) continue;
    const name = branchRef(forge.store.pulls.byId(intent.issue_id).base_ref);
    const ref = await readRef(paths, name);
    if (ref?.sha !== intent.before_sha) continue;
    if (await indexHasTree(paths, intent.folder, intent.after_sha))
      await changeRef(paths, name, intent.before_sha, intent.after_sha, 'finish a merge');
  }
  return intents;
}
