import { type BudgetLimit, admitCall, budgetRefusal } from '@ship/core';
import type { Settings, Spending } from '@ship/protocol';
import { inArray, lte, sql } from 'drizzle-orm';
import type { DayAnswer, DayCharge } from '../models/purse/port.ts';
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

  /** Counts what ended, then says whether the next call may begin. What ended counts in any case. */
  charge({ settled, reserve }: DayCharge, dailyUsd: number | null): DayAnswer {
    const nowMs = Date.now();
    for (const entry of settled)
      if (entry.inputTokens + entry.outputTokens > 0) this.#usage.record(entry);
    const ended = settled.map(({ key }) => key);
    this.#release(ended, nowMs);
    const limit = this.#limit(dailyUsd, nowMs);
    const { spent, reserved } = limit.account;
    const left = (limit.caps.micros ?? 0) - spent.micros - reserved.micros;
    const answer = { refusal: null, leftMicros: limit.caps.micros === null ? null : left };
    if (reserve === null) return answer;
    const admission = admitCall([limit], reserve.micros !== null);
    if (admission.kind !== 'admitted')
      return { ...answer, refusal: budgetRefusal(admission, [limit]) };
    const micros = reserve.micros ?? 0;
    const row = { callId: reserve.callId, micros, expiresAt: reserve.expiresAt };
    this.#db.insert(dayReservations).values(row).onConflictDoNothing().run();
    return { ...answer, leftMicros: answer.leftMicros === null ? null : left - micros };
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

  #limit(dailyUsd: number | null, nowMs: number): BudgetLimit {
    return {
      scope: 'day',
      account: {
        spent: { micros: this.#usage.spentMicros(dayOf(nowMs)), tokens: 0 },
        reserved: { micros: this.#reservedMicros(), tokens: 0 },
      },
      caps: { micros: dailyUsd === null ? null : toMicros(dailyUsd), tokens: null },
    };
  }

  #reservedMicros(): number {
    const sum = sql<number>`coalesce(sum(${dayReservations.micros}), 0)`;
    return this.#db.select({ sum }).from(dayReservations).get()?.sum ?? 0;
  }
}
