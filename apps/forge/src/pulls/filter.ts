import { unprocessable } from '../http/errors.ts';
import { sameRepositoryBranch } from '../repositories/names.ts';
import type { PullRow, RepositoryRow } from '../store/rows.ts';

/** `GET …/pulls`: state, head, base, sort and direction, with GitHub's defaults. */
export function filterPulls(
  pulls: readonly PullRow[],
  query: URLSearchParams,
  repository: Pick<RepositoryRow, 'owner' | 'name'>,
): PullRow[] {
  const state = query.get('state') ?? 'open';
  if (!['open', 'closed', 'all'].includes(state))
    throw unprocessable('state must be open, closed or all');
  const head = query.get('head');
  // Without "owner:" GitHub ignores the filter, which hides mistakes; the forge accepts the bare branch name.
  const headRef =
    head === null ? undefined : sameRepositoryBranch(head, repository.owner, repository.name);
  const base = query.get('base');
  const matching = pulls.filter(
    (pull) =>
      (state === 'all' || pull.state === state) &&
      (head === null || pull.head_ref === headRef) &&
      (base === null || pull.base_ref === base),
  );
  return sortRows(matching, query);
}

/** Newest first by default. Ties are sorted by number, so that pages do not overlap. */
export function sortRows<Row extends { number: number; created_at: string; updated_at: string }>(
  rows: readonly Row[],
  query: URLSearchParams,
): Row[] {
  const sort = query.get('sort') ?? 'created';
  const ascending = query.get('direction') === 'asc';
  const key = (row: Row) => (sort === 'updated' ? row.updated_at : row.created_at);
  const sorted = rows.toSorted((a, b) => {
    if (key(a) === key(b)) return a.number - b.number;
    return key(a) < key(b) ? -1 : 1;
  });
  return ascending ? sorted : sorted.toReversed();
}
