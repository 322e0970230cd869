import { BoardColumn, SessionStatus, type Stats } from '@ship/protocol';
import { asc, count, eq, isNotNull, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from './database.ts';
import { toUsd } from './money.ts';
import { cards, sessions } from './schema.ts';

export function readStats(db: Database): Omit<Stats, 'watchers'> {
  const byStatus = countBy(db, sessions.status, SessionStatus.options);
  const pullRequests = countBy(db, sessions.pullRequestState, ['open', 'merged', 'closed']);
  const decided = pullRequests.merged + pullRequests.closed;
  const spent = db
    .select({ micros: sql<number>`coalesce(sum(${sessions.costMicros}), 0)` })
    .from(sessions)
    .get();
  return {
    sessions: Object.values(byStatus).reduce((sum, each) => sum + each, 0),
    byStatus,
    byColumn: countColumns(db),
    pullRequests,
    mergedShare: decided === 0 ? null : pullRequests.merged / decided,
    costPerMergedUsd:
      pullRequests.merged === 0 ? null : toUsd(spent?.micros ?? 0) / pullRequests.merged,
    medianFirstTokenMs: median(db, sessions.firstTokenMs),
    medianPullRequestMs: median(db, sessions.pullRequestMs),
  };
}

function countBy<Value extends string>(
  db: Database,
  column: AnySQLiteColumn,
  values: readonly Value[],
): Record<Value, number> {
  const rows = db
    .select({ value: sql<string | null>`${column}`, total: count() })
    .from(sessions)
    .groupBy(column)
    .all();
  return complete(values, rows);
}

function countColumns(db: Database): Record<BoardColumn, number> {
  const rows = db
    .select({ value: cards.column, total: count() })
    .from(cards)
    .innerJoin(sessions, eq(sessions.sessionId, cards.sessionId))
    .groupBy(cards.column)
    .all();
  return complete(BoardColumn.options, rows);
}

/** Every value has a number, also the one that no row has. */
function complete<Value extends string>(
  values: readonly Value[],
  rows: { value: string | null; total: number }[],
): Record<Value, number> {
  const found = new Map(rows.map(({ value, total }) => [value, total]));
  return Object.fromEntries(values.map((value) => [value, found.get(value) ?? 0])) as Record<
    Value,
    number
  >;
}

function median(db: Database, column: AnySQLiteColumn): number | null {
  const known = isNotNull(column);
  const total = db.select({ total: count() }).from(sessions).where(known).get()?.total ?? 0;
  if (total === 0) return null;
  const row = db
    .select({ value: sql<number>`${column}` })
    .from(sessions)
    .where(known)
    .orderBy(asc(column))
    .limit(1)
    .offset(Math.floor((total - 1) / 2))
    .get();
  return row?.value ?? null;
}
