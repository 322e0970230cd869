import {
  type Usage,
  type UsageEntry,
  type UsageGrouping,
  type UsageQuery,
  type UsageTotal,
  fail,
} from '@ship/protocol';
import type { Amount } from '@ship/core';
import { and, desc, eq, gte, inArray, like, lt, lte, sql } from 'drizzle-orm';
import { FREE_MODELS } from '../models/free-model.ts';
import type { Database } from './database.ts';
import { toMicros, toUsd } from './money.ts';
import { usageKeys, usageTotals } from './schema.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;
const MAX_ROWS = 400;
/** Reports are not repeated that late; without a limit the keys would outgrow everything else. */
const KEY_TTL_MS = 90 * DAY_MS;
const PRUNE_BATCH = 100;

/** Usage by day, model and repository. */
export class UsageTotals {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Idempotent by key, because a report is repeated when its response is lost. False when already counted. */
  record({ key, at, model, repository, ...used }: UsageEntry): boolean {
    const [added] = this.#db
      .insert(usageKeys)
      .values({ key, at: Date.now() })
      .onConflictDoNothing()
      .returning()
      .all();
    if (added === undefined) return false;
    const amount = {
      costMicros: toMicros(used.costUsd ?? 0),
      unpriced: used.costUsd === null ? 1 : 0,
      inputTokens: used.inputTokens,
      outputTokens: used.outputTokens,
      entries: 1,
    };
    const table = usageTotals;
    this.#db
      .insert(table)
      .values({ day: dayOf(at), model, repository, ...amount })
      .onConflictDoUpdate({
        target: [table.day, table.model, table.repository],
        set: {
          costMicros: sql`${table.costMicros} + ${amount.costMicros}`,
          unpriced: sql`${table.unpriced} + ${amount.unpriced}`,
          inputTokens: sql`${table.inputTokens} + ${amount.inputTokens}`,
          outputTokens: sql`${table.outputTokens} + ${amount.outputTokens}`,
          entries: sql`${table.entries} + 1`,
        },
      })
      .run();
    this.#pruneKeys();
    return true;
  }

  read(query: UsageQuery, nowMs: number): Usage {
    const { from, to } = rangeOf(query, nowMs);
    const inRange = and(gte(usageTotals.day, from), lte(usageTotals.day, to));
    const column = GROUPS[query.by];
    const rows = this.#db
      .select({ key: column, ...SUMS })
      .from(usageTotals)
      .where(inRange)
      .groupBy(column)
      .orderBy(query.by === 'day' ? desc(column) : desc(SUMS.costMicros))
      .limit(MAX_ROWS)
      .all();
    return {
      from,
      to,
      by: query.by,
      rows: rows.map(({ key, ...sums }) => ({ key, ...totalOf(sums) })),
      total: this.total(from, to),
    };
  }

  /** Includes both days. */
  total(from: string, to: string): UsageTotal {
    const inRange = and(gte(usageTotals.day, from), lte(usageTotals.day, to));
    return totalOf(this.#db.select(SUMS).from(usageTotals).where(inRange).get());
  }

  spent(day: string): Amount {
    const { costMicros, inputTokens, outputTokens } = SUMS;
    const sums = { costMicros, inputTokens, outputTokens };
    const row = this.#db.select(sums).from(usageTotals).where(eq(usageTotals.day, day)).get();
    return {
      micros: row?.costMicros ?? 0,
      tokens: (row?.inputTokens ?? 0) + (row?.outputTokens ?? 0),
    };
  }

  /** The nominal cost of free models on that day. */
  freeMicros(day: string): number {
    const { costMicros } = SUMS;
    const isFree = like(usageTotals.model, `${FREE_MODELS}%`);
    const row = this.#db
      .select({ costMicros })
      .from(usageTotals)
      .where(and(eq(usageTotals.day, day), isFree))
      .get();
    return row?.costMicros ?? 0;
  }

  #pruneKeys(): void {
    const old = this.#db
      .select({ key: usageKeys.key })
      .from(usageKeys)
      .where(lt(usageKeys.at, Date.now() - KEY_TTL_MS))
      .limit(PRUNE_BATCH);
    this.#db.delete(usageKeys).where(inArray(usageKeys.key, old)).run();
  }
}

const GROUPS = {
  day: usageTotals.day,
  model: usageTotals.model,
  repository: usageTotals.repository,
} satisfies Record<UsageGrouping, unknown>;

const SUMS = {
  costMicros: sql<number>`coalesce(sum(${usageTotals.costMicros}), 0)`,
  unpriced: sql<number>`coalesce(sum(${usageTotals.unpriced}), 0)`,
  inputTokens: sql<number>`coalesce(sum(${usageTotals.inputTokens}), 0)`,
  outputTokens: sql<number>`coalesce(sum(${usageTotals.outputTokens}), 0)`,
  entries: sql<number>`coalesce(sum(${usageTotals.entries}), 0)`,
};

type Sums = { [Key in keyof typeof SUMS]: number };

function totalOf(sums: Sums | undefined): UsageTotal {
  const { costMicros = 0, ...rest } = sums ?? {};
  return {
    costUsd: toUsd(costMicros),
    unpriced: 0,
    inputTokens: 0,
    outputTokens: 0,
    entries: 0,
    ...rest,
  };
}

function rangeOf(query: UsageQuery, nowMs: number): { from: string; to: string } {
  const to = query.to ?? dayOf(nowMs);
  const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > MAX_DAYS) {
    fail(
      'invalid-input',
      `From ${from} to ${to} is not a range of 1 to ${MAX_DAYS} days.`,
      'Choose another from or to.',
    );
  }
  return { from, to };
}

/** In UTC. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
