import { type BudgetLimit, admitCall, budgetRefusal } from '@ship/core';
import type { Settings, ShipError, Spending } from '@ship/protocol';
import { inArray, lte, sql } from 'drizzle-orm';
import type { DayCharge } from '../models/purse/port.ts';
import type { Database } from './database.ts';
import { toMicros, toUsd } from './money.ts';
import { dayReservations } from './schema.ts';
import { type UsageTotals, dayOf } from './usage.ts';

/** The workspace's budget for a day, in UTC: what was used and what calls under way have reserved. */
export class DaySpending {
  readonly #db: Database;
  readonly #usage: UsageTotals;

  constructor(db: Database, usage: UsageTotals) {
    this.#db = db;
    this.#usage = usage;
  }

  /** Counts what ended, then says why the next call may not begin, or null. What ended counts in any case. */
  charge({ settled, reserve }: DayCharge, dailyUsd: number | null): ShipError | null {
    const nowMs = Date.now();
    for (const entry of settled)
      if (entry.inputTokens + entry.outputTokens > 0) this.#usage.record(entry);
    this.#release(
      settled.map(({ key }) => key),
      nowMs,
    );
    if (reserve === null) return null;
    const micros = dailyUsd === null ? null : toMicros(dailyUsd);
    const limits: BudgetLimit[] = [
      {
        scope: 'day',
        account: {
          spent: { micros: this.#usage.spentMicros(dayOf(nowMs)), tokens: 0 },
          reserved: { micros: this.#reservedMicros(), tokens: 0 },
        },
        caps: { micros, tokens: null },
      },
    ];
    const admission = admitCall(limits, reserve.micros !== null);
    if (admission.kind !== 'admitted') return budgetRefusal(admission, limits);
    const row = {
      callId: reserve.callId,
      micros: reserve.micros ?? 0,
      expiresAt: reserve.expiresAt,
    };
    this.#db.insert(dayReservations).values(row).onConflictDoNothing().run();
    return null;
  }

  read({ budgets: { dailyUsd, sessionUsd } }: Settings): Spending {
    const day = dayOf(Date.now());
    return {
      day,
      today: this.#usage.total(day, day),
      month: this.#usage.total(`${day.slice(0, 8)}01`, day),
      reservedUsd: toUsd(this.#reservedMicros()),
      caps: { dailyUsd, sessionUsd },
    };
  }

  /** A session that never reports again must not hold back the others for ever. */
  #release(callIds: string[], nowMs: number): void {
    const table = dayReservations;
    if (callIds.length > 0) this.#db.delete(table).where(inArray(table.callId, callIds)).run();
    this.#db.delete(table).where(lte(table.expiresAt, nowMs)).run();
  }

  #reservedMicros(): number {
    const sum = sql<number>`coalesce(sum(${dayReservations.micros}), 0)`;
    return this.#db.select({ sum }).from(dayReservations).get()?.sum ?? 0;
  }
}
