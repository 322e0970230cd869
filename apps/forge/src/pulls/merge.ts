import { type Forge, pathsOf } from '../forge.ts';
import { exportObjects } from '../git/export.ts';
import { branchRef, noObject } from '../git/ref-names.ts';
import { changeRef, readRef } from '../git/refs.ts';
import { checkedOutAt, updateWorktreeFiles } from '../git/worktrees.ts';
import { conflict, notFound, notMergeable } from '../http/errors.ts';
import { mergeBlocked } from '../protection/merge-blocked.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { updateCheckedOutFiles } from './update-checkout.ts';
import type { MessageInput } from './messages.ts';
import { type MergeMethod, prepareMerge } from './prepare-merge.ts';
import { syncRefs } from './sync.ts';

export interface MergeInput extends MessageInput {
  method: MergeMethod;
  /** The head that the client expects. */
  sha?: string | undefined;
}

const maxTries = 5;

/** Merges a pull request: writes the commits, stores the intent, moves the base by compare-and-swap, syncs. */
export function mergePull(
  forge: Forge,
  repository: RepositoryRow,
  number: number,
  user: UserRow,
  input: MergeInput,
): Promise<string> {
  return forge.queues.of(repository.id).run(async () => {
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      await syncRefs(forge, repository, user);
      const pull = checkPull(forge.store.pulls.find(repository.id, number), input);
      const blocked = mergeBlocked(forge, repository, pull);
      if (blocked !== undefined) throw notMergeable(blocked);
      const sha = await tryMerge(forge, repository, pull, user, input);
      if (sha !== undefined) return sha;
    }
    throw conflict('Base branch was modified. Review and try the merge again.');
  });
}

function checkPull(pull: PullRow | undefined, input: MergeInput): PullRow {
  if (pull === undefined) throw notFound();
  if (pull.merged_at !== null) throw notMergeable('Pull Request is already merged');
  if (pull.state !== 'open') throw notMergeable('Pull Request is closed');
  if (pull.draft === 1) throw notMergeable('Pull Request is still a draft');
  if (input.sha !== undefined && input.sha !== pull.head_sha)
    throw conflict('Head branch was modified. Review and try the merge again.');
  return pull;
}

async function tryMerge(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  user: UserRow,
  input: MergeInput,
): Promise<string | undefined> {
  const paths = pathsOf(forge, repository);
  const name = branchRef(pull.base_ref);
  const before = pull.base_sha;
  const after = await prepareMerge(forge, repository, pull, input.method, user, input);
  if (after === before)
    throw notMergeable('Pull Request is not mergeable: the base has all of it already');
  const folder = repository.kind === 'folder' ? await checkedOutAt(paths, name) : undefined;
  forge.store.pulls.setIntent({
    issue_id: pull.id,
    before_sha: before,
    after_sha: after,
    folder: folder ?? null,
    user_id: user.id,
    created_at: forge.now().toISOString(),
  });
  if (folder !== undefined) {
    // The folder's index refers to the new objects before the branch does.
    await exportObjects(paths, after, name);
    const refusal = await updateCheckedOutFiles(paths, folder, name, before, after);
    if (refusal !== undefined) {
      forge.store.pulls.removeIntent(pull.id);
      throw notMergeable(refusal);
    }
  }
  const reason = `merge pull request #${pull.number}`;
  const change = await changeRef(paths, name, before, after, reason);
  if (change.kind === 'done') {
    await syncRefs(forge, repository, user);
    if (repository.delete_branch_on_merge === 1) await deleteHead(forge, repository, pull, user);
    return after;
  }
  // The user committed in between: update the files to the branch's new tip.
  const tip = folder === undefined ? undefined : await readRef(paths, name);
  if (folder !== undefined && tip !== undefined)
    await updateWorktreeFiles(paths, folder, after, tip.sha);
  forge.store.pulls.removeIntent(pull.id);
  if (change.kind === 'refused')
    throw conflict(`${pull.base_ref} cannot be updated: ${change.reason}`);
  return undefined;
}

async function deleteHead(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  user: UserRow,
): Promise<void> {
  const paths = pathsOf(forge, repository);
  const name = branchRef(pull.head_ref);
  if (repository.kind === 'folder' && (await checkedOutAt(paths, name)) !== undefined) return;
  await changeRef(paths, name, pull.head_sha, noObject, 'delete the merged branch');
  await syncRefs(forge, repository, user);
}
