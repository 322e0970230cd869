import { type Forge, pathsOf } from '../forge.ts';
import { mergeTrees, writeCommit } from '../git/merge.ts';
import { branchRef } from '../git/ref-names.ts';
import { changeRef } from '../git/refs.ts';
import { isAncestor } from '../git/revisions.ts';
import { checkedOutAt } from '../git/worktrees.ts';
import { unprocessable } from '../http/errors.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { identityOf } from './prepare-merge.ts';
import { syncRefs } from './sync.ts';

/** "Update branch": merges the base into the head. */
export function updateBranch(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  user: UserRow,
  expected: string | undefined,
): Promise<void> {
  const paths = pathsOf(forge, repository);
  const name = branchRef(pull.head_ref);
  return forge.queues.of(repository.id).run(async () => {
    if (pull.state !== 'open') throw unprocessable('The pull request is closed.');
    if (expected !== undefined && expected !== pull.head_sha)
      throw unprocessable(`expected head sha didn’t match current head ref.`);
    if (await isAncestor(paths, pull.base_sha, pull.head_sha))
      throw unprocessable('There are no new commits on the base branch.');
    if (repository.kind === 'folder' && (await checkedOutAt(paths, name)) !== undefined)
      throw unprocessable(
        `${pull.head_ref} is checked out; merge ${pull.base_ref} there yourself.`,
      );
    const merged = await mergeTrees(paths, pull.head_sha, pull.base_sha);
    if (!merged.clean) throw unprocessable(`merge conflict between base and head`);
    const committer = identityOf(user);
    const after = await writeCommit(paths, {
      tree: merged.tree,
      parents: [pull.head_sha, pull.base_sha],
      message: `Merge branch '${pull.base_ref}' into ${pull.head_ref}`,
      author: committer,
      committer,
      at: forge.now(),
    });
    const change = await changeRef(paths, name, pull.head_sha, after, 'update branch');
    if (change.kind !== 'done') throw unprocessable('The head branch was modified. Try again.');
    await syncRefs(forge, repository, user);
  });
}
