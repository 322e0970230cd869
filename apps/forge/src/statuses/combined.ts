import type { Checks } from '../store/checks.ts';
import type { StatusRow } from '../store/rows.ts';

/** The newest status of each context, in the order in which the contexts first appeared. */
export function newestByContext(newestFirst: readonly StatusRow[]): StatusRow[] {
  const seen = new Map<string, StatusRow>();
  for (const row of newestFirst) if (!seen.has(row.context)) seen.set(row.context, row);
  return [...seen.values()].toReversed();
}

/** GitHub's rule for statuses: any failure fails; otherwise anything pending, or no status at all, is pending. */
export function combine(states: readonly string[]): 'failure' | 'pending' | 'success' {
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure';
  return states.length > 0 && states.every((state) => state === 'success') ? 'success' : 'pending';
}

const failed = new Set(['failure', 'timed_out', 'cancelled', 'action_required']);

/** Combines statuses and check runs for the state of a pull request; `none` when there are no reports. */
export function combinedState(
  checks: Checks,
  repositoryId: number,
  sha: string,
): 'none' | 'failure' | 'pending' | 'success' {
  const statuses = newestByContext(checks.statuses(repositoryId, sha)).map((row) => row.state);
  const runs = checks.runs(repositoryId, sha).map((run) => {
    if (run.status !== 'completed') return 'pending';
    return run.conclusion !== null && failed.has(run.conclusion) ? 'failure' : 'success';
  });
  const all = [...statuses, ...runs];
  return all.length === 0 ? 'none' : combine(all);
}
