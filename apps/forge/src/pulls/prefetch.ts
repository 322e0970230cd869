import type { Forge } from '../forge.ts';
import { branchRef, noObject } from '../git/ref-names.ts';
import type { RepositoryRow } from '../store/rows.ts';
import type { RefMove } from '../webhooks/push-payload.ts';
import { pullFacts } from './facts.ts';

/** A client that pushes many branches at once rarely reads their pull requests next. */
const MAX_BRANCHES = 3;

/**
 * Clients usually open or read the pull request right after a push, so this computes its facts in advance. Not awaited; if
 * it fails, the facts are computed when they are needed.
 */
export function prefetchPullFacts(
  forge: Forge,
  repository: RepositoryRow,
  moves: readonly RefMove[],
): void {
  const { refs, pulls } = forge.store;
  const heads = moves.filter(
    (move) => move.ref.startsWith(branchRef('')) && move.after !== noObject,
  );
  if (heads.length > MAX_BRANCHES) return;
  const tips = refs.of(repository.id);
  const open = pulls.open(repository.id);
  for (const { ref, after } of heads) {
    const existing = open.find((pull) => branchRef(pull.head_ref) === ref);
    const base = tips.get(branchRef(existing?.base_ref ?? repository.default_branch));
    if (base === undefined || base === after) continue;
    pullFacts(forge, repository, { base_sha: base, head_sha: after }).catch(() => undefined);
  }
}
