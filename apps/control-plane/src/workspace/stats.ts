import { BoardColumn, SessionStatus, type Stats } from '@ship/protocol';
import { desc, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from './database.ts';
import { toUsd } from './money.ts';
import { counters, sessions } from './schema.ts';

/** Medians use only the newest sessions: old ones say nothing about current speed. */
const MEDIAN_SAMPLE = 500;

/** Reads counters, so that the cost does not depend on the number of sessions. */
export function readStats(db: Database): Omit<Stats, 'watchers'> {
  const totals = readCounters(db);
  const countsOf = <Value extends string>(kind: string, values: readonly Value[]) =>
    Object.fromEntries(
      values.map((value) => [value, totals.get(`${kind}:${value}`) ?? 0]),
      // Every value has a number, even without rows.
    ) as Record<Value, number>;
  const byStatus = countsOf('status', SessionStatus.options);
  const pullRequests = countsOf('pull-request', ['open', 'merged', 'closed']);
  const decided = pullRequests.merged + pullRequests.closed;
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
    medianFirstTokenMs: medianOf(db, sessions.firstTokenMs),
    medianPullRequestMs: medianOf(db, sessions.pullRequestMs),
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

/** Computed in the database: reading 500 rows one by one would cost more than everything else. */
function medianOf(db: Database, column: SQLiteColumn): number | null {
  const newest = sql`SELECT ${column} AS ms FROM ${sessions} ORDER BY ${desc(sessions.createdAt)} LIMIT ${MEDIAN_SAMPLE}`;
  const ordered = sql`SELECT ms, row_number() OVER (ORDER BY ms) AS place, count(*) OVER () AS total
    FROM (${newest}) WHERE ms IS NOT NULL`;
  const [middle] = db.all<{ ms: number }>(
    sql`SELECT ms FROM (${ordered}) WHERE place = (total + 1) / 2`,
  );
  return middle?.ms ?? null;
}
