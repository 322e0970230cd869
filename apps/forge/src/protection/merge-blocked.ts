import type { Forge } from '../forge.ts';
import { combine, newestByContext } from '../statuses/combined.ts';
import type { PullRow, RepositoryRow } from '../store/rows.ts';
import { refuseMerge, type MergeReadiness } from './rules.ts';

/** Why the base branch's rules block a merge; undefined when they allow it, or when there are none. */
export function mergeBlocked(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
): string | undefined {
  const rules = forge.store.protections.find(repository.id, pull.base_ref);
  return rules === undefined ? undefined : refuseMerge(rules, readinessOf(forge, repository, pull));
}

function readinessOf(forge: Forge, repository: RepositoryRow, pull: PullRow): MergeReadiness {
  const { reviews, checks } = forge.store;
  const reviewStates = new Map<number, string>();
  for (const review of reviews.list(pull.id))
    if (
      review.user_id !== pull.user_id &&
      ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(review.state)
    )
      reviewStates.set(review.user_id, review.state);
  const checkResults = new Map<string, 'pending' | 'success' | 'failure'>();
  for (const { context, state } of newestByContext(checks.statuses(repository.id, pull.head_sha)))
    checkResults.set(context, combine([state]));
  // The newest run of a name counts.
  for (const run of checks.runs(repository.id, pull.head_sha).toReversed()) {
    const isGood = ['success', 'neutral', 'skipped'].includes(run.conclusion ?? '');
    checkResults.set(
      run.name,
      run.status !== 'completed' ? 'pending' : isGood ? 'success' : 'failure',
    );
  }
  return { reviewStates: [...reviewStates.values()], checkResults };
}
