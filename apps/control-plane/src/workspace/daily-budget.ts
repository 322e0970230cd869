import {
  type Amount,
  type BudgetLimit,
  NO_AMOUNT,
  addAmounts,
  admitCall,
  budgetRefusal,
} from '@ship/core';
import type { Settings, Spending } from '@ship/protocol';
import { inArray, lte, sql } from 'drizzle-orm';
import type { DayAnswer, DayCharge } from '../models/budget/port.ts';
import type { Database } from './database.ts';
import { toMicros, toUsd } from './money.ts';
import { dayReservations } from './schema.ts';
import { type UsageTotals, dayOf } from './usage.ts';

/** The workspace's daily budget, in UTC: usage plus reservations of open calls. */
export class DailyBudget {
  readonly #db: Database;
  readonly #usage: UsageTotals;

  constructor(db: Database, usage: UsageTotals) {
    this.#db = db;
    this.#usage = usage;
  }

  /** Records settled calls, then admits or refuses the next one. Settled calls count in any case. */
  charge({ settled, reserve }: DayCharge, budgets: Settings['budgets']): DayAnswer {
    const nowMs = Date.now();
    for (const entry of settled)
      if (entry.inputTokens + entry.outputTokens > 0) this.#usage.record(entry);
    const ended = settled.map(({ key }) => key);
    this.#release(ended, nowMs);
    const limit = this.#limit(budgets, nowMs);
    const { spent, reserved } = limit.account;
    const used = addAmounts(spent, reserved);
    if (reserve === null) return { refusal: null, ...leftOf(limit, used) };
    const isFree = reserve.isFree === true;
    const admission = admitCall([limit], reserve.micros !== null, isFree);
    if (admission.kind !== 'admitted')
      return { refusal: budgetRefusal(admission, [limit]), ...leftOf(limit, used) };
    const { callId, tokens, expiresAt } = reserve;
    const micros = isFree && limit.caps.isDefault === true ? 0 : (reserve.micros ?? 0);
    const row = { callId, micros, tokens, expiresAt };
    this.#db.insert(dayReservations).values(row).onConflictDoNothing().run();
    return { refusal: null, ...leftOf(limit, addAmounts(used, { micros, tokens })) };
  }

  read({ budgets }: Settings): Spending {
    const day = dayOf(Date.now());
    return {
      day,
      today: this.#usage.total(day, day),
      month: this.#usage.total(`${day.slice(0, 8)}01`, day),
      reservedUsd: toUsd(this.#reserved().micros),
      caps: budgets,
    };
  }

  /** Also deletes expired reservations: a session that never reports must not block the others forever. */
  #release(callIds: string[], nowMs: number): void {
    const table = dayReservations;
    if (callIds.length > 0) this.#db.delete(table).where(inArray(table.callId, callIds)).run();
    this.#db.delete(table).where(lte(table.expiresAt, nowMs)).run();
  }

  #limit({ dailyUsd, dailyTokens, byDefault }: Settings['budgets'], nowMs: number): BudgetLimit {
    const isDefault = byDefault.includes('dailyUsd');
    const day = dayOf(nowMs);
    const { micros, tokens } = this.#usage.spent(day);
    const free = isDefault ? this.#usage.freeMicros(day) : 0;
    return {
      scope: 'day',
      account: { spent: { micros: micros - free, tokens }, reserved: this.#reserved() },
      caps: {
        micros: dailyUsd === null ? null : toMicros(dailyUsd),
        tokens: dailyTokens,
        isDefault,
      },
    };
  }

  #reserved(): Amount {
    const { micros, tokens } = dayReservations;
    const sums = {
      micros: sql<number>`coalesce(sum(${micros}), 0)`,
      tokens: sql<number>`coalesce(sum(${tokens}), 0)`,
    };
    return this.#db.select(sums).from(dayReservations).get() ?? NO_AMOUNT;
  }
}

function leftOf({ caps }: BudgetLimit, used: Amount): Omit<DayAnswer, 'refusal'> {
  return {
    leftMicros: caps.micros === null ? null : caps.micros - used.micros,
    leftTokens: caps.tokens === null ? null : caps.tokens - used.tokens,
  };
}
