import { type Forge, placeOf } from '../forge.ts';
import { branchRef, isValidBranchName } from '../git/ref-names.ts';
import { readRef } from '../git/refs.ts';
import { invalid } from '../http/errors.ts';
import { ownBranch } from '../repositories/names.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { announce } from './announce.ts';
import { pullFacts } from './facts.ts';
import { keepHeads, syncRefs } from './sync.ts';

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
  wish: NewPull,
): Promise<PullRow> {
  return forge.lanes.of(repository.id).run(async () => {
    await syncRefs(forge, repository, user);
    const place = placeOf(forge, repository);
    const headRef = ownBranch(wish.head, repository.owner, repository.name);
    const baseRef = wish.base;
    const tip = async (branch: string | undefined) =>
      branch !== undefined && isValidBranchName(branch)
        ? readRef(place, branchRef(branch))
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
    // Kept for the answer, which needs them too.
    const facts = await pullFacts(forge, repository, range);
    if (facts.commits === 0)
      throw invalid({
        resource,
        code: 'custom',
        message: `No commits between ${baseRef} and ${headRef}`,
      });
    const pull = forge.store.db.transaction(() => {
      const { title, body } = wish;
      const row = forge.store.issues.add(repository.id, {
        title,
        body,
        userId: user.id,
        isPull: true,
      });
      forge.store.pulls.add(row.id, {
        draft: wish.draft ? 1 : 0,
        head_ref: headRef,
        base_ref: baseRef,
        ...range,
      });
      const made = forge.store.pulls.byId(row.id);
      announce(forge, repository, user, made, facts, 'opened');
      return made;
    });
    await keepHeads(forge, repository, [{ pull, verdict: { pull: {} } }]);
    return pull;
  });
}
