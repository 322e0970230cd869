import { type Forge, pathsOf } from '../forge.ts';
import { noObject } from '../git/ref-names.ts';
import { changeRef } from '../git/refs.ts';
import { headBranch } from '../git/worktree-files.ts';
import { checkedOutAt } from '../git/worktrees.ts';
import { isAncestor } from '../git/revisions.ts';
import type { ForgeContext } from '../http/context.ts';
import { unprocessable } from '../http/errors.ts';
import { refuseUpdate } from '../protection/rules.ts';
import { syncRefs } from '../pulls/sync.ts';
import type { RepositoryRow } from '../store/rows.ts';

/** Moves, creates or deletes a ref for the API; refuses a branch that is checked out. */
export async function changeBranch(
  forge: Forge,
  c: ForgeContext,
  ref: string,
  before: string,
  after: string,
): Promise<void> {
  const repository = c.get('repository');
  const paths = pathsOf(forge, repository);
  await forge.queues.of(repository.id).run(async () => {
    if (repository.kind === 'folder') {
      const folder = await checkedOutAt(paths, ref);
      if (folder !== undefined)
        throw unprocessable(
          `${ref} is checked out in ${folder}. Switch to another branch there first.`,
        );
      // An unborn branch is checked out too: after a first commit, git would report its files as deleted.
      if (`refs/heads/${headBranch(paths.gitDir) ?? ''}` === ref)
        throw unprocessable(
          `${ref} is checked out. Create its first commit in the folder yourself.`,
        );
    } else if (after === noObject && ref === `refs/heads/${repository.default_branch}`)
      throw unprocessable('Cannot delete the default branch');
    await checkProtection(forge, repository, ref, before, after);
    const change = await changeRef(paths, ref, before, after, 'api');
    if (change.kind === 'moved')
      throw unprocessable('Reference cannot be updated: it changed in the meantime');
    if (change.kind === 'refused')
      throw unprocessable(`Reference cannot be updated: ${change.reason}`);
    await syncRefs(forge, repository, c.get('actor').user);
  });
}

async function checkProtection(
  forge: Forge,
  repository: RepositoryRow,
  ref: string,
  before: string,
  after: string,
): Promise<void> {
  const branch = ref.replace(/^refs\/heads\//, '');
  const rules = forge.store.protections.find(repository.id, branch);
  if (rules === undefined || !ref.startsWith('refs/heads/') || before === noObject) return;
  const isDeletion = after === noObject;
  const paths = pathsOf(forge, repository);
  const isForced = !isDeletion && !(await isAncestor(paths, before, after));
  const reason = refuseUpdate(rules, { isDeletion, isForced });
  if (reason !== undefined) throw unprocessable(reason);
}
