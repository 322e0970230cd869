import { BoardColumn, SessionStatus, type Stats } from '@ship/protocol';
import { desc } from 'drizzle-orm';
import type { Database } from './database.ts';
import { toUsd } from './money.ts';
import { counters, sessions } from './schema.ts';

/** How fast sessions are is told of the newest: those of last year say nothing of today. */
const NEWEST = 500;

/** All from counters: how many sessions there are must not matter. */
export function readStats(db: Database): Omit<Stats, 'watchers'> {
  const totals = readCounters(db);
  const countsOf = <Value extends string>(kind: string, values: readonly Value[]) =>
    Object.fromEntries(
      values.map((value) => [value, totals.get(`${kind}:${value}`) ?? 0]),
      // Every value has a number, also the one that no row has.
    ) as Record<Value, number>;
  const byStatus = countsOf('status', SessionStatus.options);
  const pullRequests = countsOf('pull-request', ['open', 'merged', 'closed']);
  const decided = pullRequests.merged + pullRequests.closed;
  const speeds = db
    .select({ firstTokenMs: sessions.firstTokenMs, pullRequestMs: sessions.pullRequestMs })
    .from(sessions)
    .orderBy(desc(sessions.sessionId))
    .limit(NEWEST)
    .all();
  return {
    sessions: Object.values(byStatus).reduce((sum, each) => sum + each, 0),
    byStatus,
    byColumn: countsOf('session-card', BoardColumn.options),
    pullRequests,
    mergedShare: decided === 0 ? null : pullRequests.merged / decided,
    costPerMergedUsd:
      pullRequests.merged === 0
        ? null
        : toUsd(totals.get('cost-micros') ?? 0) / pullRequests.merged,
    medianFirstTokenMs: median(speeds.map(({ firstTokenMs }) => firstTokenMs)),
    medianPullRequestMs: median(speeds.map(({ pullRequestMs }) => pullRequestMs)),
  };
}

export function readCounters(db: Database): ReadonlyMap<string, number> {
  return new Map(
    db
      .select()
      .from(counters)
      .all()
      .map(({ name, total }) => [name, total]),
  );
}

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return known[Math.floor((known.length - 1) / 2)] ?? null;
}
