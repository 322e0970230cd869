import type { Forge } from '../forge.ts';
import { branchRef, noObject } from '../git/ref-names.ts';
import type { RepositoryRow } from '../store/rows.ts';
import type { RefMove } from '../webhooks/push-payload.ts';
import { pullFacts } from './facts.ts';

/** Somebody who pushes a hundred branches at once asks for none of them next. */
const MAX_BRANCHES = 3;

/**
 * After a push its pull request is asked for next, opened or read: what git has to be asked about it is asked while the
 * client of the push still reads its answer. Nobody waits for it, and if it fails it is asked again when it is needed.
 */
export function foreseePulls(
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
    const own = open.find((pull) => branchRef(pull.head_ref) === ref);
    const base = tips.get(branchRef(own?.base_ref ?? repository.default_branch));
    if (base === undefined || base === after) continue;
    pullFacts(forge, repository, { base_sha: base, head_sha: after }).catch(() => undefined);
  }
}
