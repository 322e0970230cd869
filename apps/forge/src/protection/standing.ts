import type { Forge } from '../forge.ts';
import { combine, newestByContext } from '../statuses/combined.ts';
import type { PullRow, RepositoryRow } from '../store/rows.ts';
import { refuseMerge, type Standing } from './rules.ts';

/** Why the base's rules do not let a pull request in yet; undefined when they do, or there are none. */
export function mergeBlocked(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
): string | undefined {
  const rules = forge.store.protections.find(repository.id, pull.base_ref);
  return rules === undefined ? undefined : refuseMerge(rules, standingOf(forge, repository, pull));
}

function standingOf(forge: Forge, repository: RepositoryRow, pull: PullRow): Standing {
  const { reviews, checks } = forge.store;
  const verdicts = new Map<number, string>();
  for (const review of reviews.list(pull.id))
    if (
      review.user_id !== pull.user_id &&
      ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(review.state)
    )
      verdicts.set(review.user_id, review.state);
  const results = new Map<string, 'pending' | 'success' | 'failure'>();
  for (const { context, state } of newestByContext(checks.statuses(repository.id, pull.head_sha)))
    results.set(context, combine([state]));
  // The newest run of a name is the one that counts.
  for (const run of checks.runs(repository.id, pull.head_sha).toReversed()) {
    const isGood = ['success', 'neutral', 'skipped'].includes(run.conclusion ?? '');
    results.set(run.name, run.status !== 'completed' ? 'pending' : isGood ? 'success' : 'failure');
  }
  return { verdicts: [...verdicts.values()], results };
}
