import { type Forge, pathsOf } from '../forge.ts';
import { branchRef, isValidBranchName } from '../git/ref-names.ts';
import { readRef } from '../git/refs.ts';
import { invalid } from '../http/errors.ts';
import { sameRepositoryBranch } from '../repositories/names.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { emitPullEvent } from './events.ts';
import { pullFacts } from './facts.ts';
import { updatePullRefs, syncRefs } from './sync.ts';

export interface NewPull {
  head: string;
  base: string;
  title: string;
  body: string | null;
  draft: boolean;
}

const resource = 'PullRequest';

export function createPull(
  forge: Forge,
  repository: RepositoryRow,
  user: UserRow,
  input: NewPull,
): Promise<PullRow> {
  return forge.queues.of(repository.id).run(async () => {
    await syncRefs(forge, repository, user);
    const paths = pathsOf(forge, repository);
    const headRef = sameRepositoryBranch(input.head, repository.owner, repository.name);
    const baseRef = input.base;
    const tip = async (branch: string | undefined) =>
      branch !== undefined && isValidBranchName(branch)
        ? readRef(paths, branchRef(branch))
        : undefined;
    const [head, base] = await Promise.all([tip(headRef), tip(baseRef)]);
    if (headRef === undefined || head === undefined)
      throw invalid({ resource, field: 'head', code: 'invalid' });
    if (base === undefined) throw invalid({ resource, field: 'base', code: 'invalid' });
    if (forge.store.pulls.openFor(repository.id, headRef, baseRef) !== undefined)
      throw invalid({
        resource,
        code: 'custom',
        message: `A pull request already exists for ${repository.owner}:${headRef}.`,
      });
    const range = { base_sha: base.sha, head_sha: head.sha };
    // Cached for the response, which needs them too.
    const facts = await pullFacts(forge, repository, range);
    if (facts.commits === 0)
      throw invalid({
        resource,
        code: 'custom',
        message: `No commits between ${baseRef} and ${headRef}`,
      });
    const pull = forge.store.db.transaction(() => {
      const { title, body } = input;
      const row = forge.store.issues.add(repository.id, {
        title,
        body,
        userId: user.id,
        isPull: true,
      });
      forge.store.pulls.add(row.id, {
        draft: input.draft ? 1 : 0,
        head_ref: headRef,
        base_ref: baseRef,
        ...range,
      });
      const created = forge.store.pulls.byId(row.id);
      emitPullEvent(forge, repository, user, created, facts, 'opened');
      return created;
    });
    await updatePullRefs(forge, repository, [{ pull, transition: { pull: {} } }]);
    return pull;
  });
}
