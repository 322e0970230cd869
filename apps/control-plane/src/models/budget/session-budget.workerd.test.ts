import { env, runInDurableObject } from 'cloudflare:test';
import { type ModelRef, type ShipError, createId, shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { refusedWith } from '../../testing/workspace.ts';
import type { Result } from '../../platform/result.ts';
import type { CallCost, DayAnswer, DayCharge, ModelCall, BudgetTerms } from './port.ts';
import { RESERVATION_MS, SessionBudget } from './session-budget.ts';
import { BUDGET_TABLES } from './tables.ts';

const MODEL: ModelRef = 'demo/demo';
const NO_CAPS = { micros: null, tokens: null };

const cost = (micros: number | null, outputTokens = 10, isEstimate = false): CallCost => ({
  usage: {
    inputTokens: 5,
    cacheReadTokens: 2,
    cacheWriteTokens: 1,
    outputTokens,
    reasoningTokens: 3,
  },
  costMicros: micros,
  isEstimate,
});
const FREE_OF_CHARGE: CallCost = {
  usage: {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
  },
  costMicros: 0,
  isEstimate: false,
};

let made = 0;
const call = (micros: number | null = 100, callId = `call-${++made}`): ModelCall => ({
  callId,
  model: MODEL,
  most: { micros, tokens: 1_000 },
  worst: cost(micros, 10, true),
});

const reply = (refusal: ShipError | null, leftMicros: number | null = 1): Result<DayAnswer> => ({
  ok: true,
  value: { refusal, leftMicros, leftTokens: null },
});

interface Fixture {
  budget: SessionBudget;
  /** A new instance on the same tables, as after hibernation. */
  woken: () => SessionBudget;
  /** Waits until the call is on disk, shortly after the reply. */
  written: (call: ModelCall) => Promise<void>;
  terms: BudgetTerms;
  charges: DayCharge[];
  clock: { nowMs: number };
  day: { answer: () => Promise<Result<DayAnswer>> };
}

/** A budget in the storage of a real Durable Object. */
async function withBudget(use: (fixture: Fixture) => Promise<void>): Promise<void> {
  const stub = env.SESSIONS.get(env.SESSIONS.newUniqueId());
  await runInDurableObject(stub, async (_, { storage }) => {
    // The session's migrations may have created these tables already.
    const hasTables = storage.sql
      .exec(`SELECT name FROM sqlite_master WHERE name = 'model_calls'`)
      .toArray().length;
    if (hasTables === 0) storage.sql.exec(BUDGET_TABLES);
    const fixture: Omit<Fixture, 'budget' | 'woken' | 'written'> = {
      terms: {
        turnId: createId('turn'),
        models: [MODEL],
        repository: '/r',
        turn: NO_CAPS,
        session: NO_CAPS,
      },
      charges: [],
      clock: { nowMs: 1_000 },
      day: { answer: async () => reply(null) },
    };
    const woken = () =>
      new SessionBudget(storage.sql, {
        terms: () => ({ ok: true, value: fixture.terms }),
        day: {
          charge: (charge) => {
            fixture.charges.push(charge);
            return fixture.day.answer();
          },
        },
        nowMs: () => fixture.clock.nowMs,
      });
    const count = 'SELECT count(*) AS rows FROM model_calls WHERE call_id = ?';
    const written = async ({ callId }: ModelCall): Promise<void> => {
      while (storage.sql.exec<{ rows: number }>(count, callId).one().rows === 0)
        await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await use(Object.assign(fixture, { budget: woken(), woken, written }));
  });
}

describe('SessionBudget in workerd', { timeout: 60_000 }, () => {
  it('[BU5] reserves before and settles after, for the turn and for the session', () =>
    withBudget(async ({ budget, woken, terms, clock }) => {
      const first = call();
      expect(await budget.reserve(first)).toEqual({
        ok: true,
        value: { callId: first.callId, expiresAt: clock.nowMs + RESERVATION_MS },
      });
      expect(budget.nextExpiryAt()).toBe(clock.nowMs + RESERVATION_MS);
      await budget.settle(first.callId, cost(60));
      expect(budget.nextExpiryAt()).toBeUndefined();
      const earlier = terms.turnId;
      terms.turnId = createId('turn');
      const second = call();
      await budget.reserve(second);
      await budget.settle(second.callId, cost(null, 4, true));
      expect(woken().spent()).toEqual({
        micros: 60,
        tokens: 36,
        usage: {
          inputTokens: 10,
          cacheReadTokens: 4,
          cacheWriteTokens: 2,
          outputTokens: 14,
          reasoningTokens: 6,
        },
        calls: 2,
        unpricedCalls: 1,
        estimatedCalls: 1,
      });
      expect(woken().spent(earlier ?? undefined)).toMatchObject({ micros: 60, calls: 1 });
      expect(woken().spent(terms.turnId)).toMatchObject({ micros: 0, calls: 1, unpricedCalls: 1 });
    }));

  it('[BU1] concurrent calls: once the cap is reserved the next call waits, and once it is spent calls are refused', () =>
    withBudget(async ({ budget, terms }) => {
      terms.turn = { micros: 250, tokens: null };
      const calls = Array.from({ length: 6 }, () => call());
      const outcomes = await Promise.all(calls.map((each) => budget.reserve(each)));
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, false, false, false]);
      expect(outcomes.slice(3).map(refusedWith)).toEqual(Array(3).fill('rate-limited'));
      for (const each of calls.slice(0, 2)) await budget.settle(each.callId, cost(80));
      const next = call();
      expect((await budget.reserve(next)).ok).toBe(false);
      await budget.settle(calls[2]?.callId ?? '', cost(10));
      expect((await budget.reserve(next)).ok).toBe(true);
      await budget.settle(next.callId, cost(100));
      expect(refusedWith(await budget.reserve(call()))).toBe('budget-exhausted');
      expect(budget.spent().micros).toBe(270);
      // A new turn has a new budget; the session's budget continues.
      terms.turnId = createId('turn');
      terms.session = { micros: 271, tokens: null };
      expect((await budget.reserve(call())).ok).toBe(true);
      terms.session = { micros: 270, tokens: null };
      expect(refusedWith(await budget.reserve(call()))).toBe('budget-exhausted');
      terms.session = { micros: null, tokens: 50 };
      expect(refusedWith(await budget.reserve(call()))).toBe('budget-exhausted');
    }));

  it('[BU4] repeating reserve or settle changes nothing', () =>
    withBudget(async ({ budget, woken, written }) => {
      const one = call();
      const first = await budget.reserve(one);
      expect(await budget.reserve(one)).toEqual(first);
      await written(one);
      expect(await woken().reserve(one)).toEqual(first);
      await budget.settle(one.callId, cost(60));
      await woken().settle(one.callId, cost(99));
      await budget.settle('never-reserved', cost(99));
      expect(budget.spent()).toMatchObject({ micros: 60, calls: 1 });
      expect(refusedWith(await budget.reserve(one))).toBe('request-id-reused');
    }));

  it('[BU4] an unreported call is settled at its reservation when it expires, and corrected later', () =>
    withBudget(async ({ budget, woken, clock, written }) => {
      const dead = call(100);
      await budget.reserve(dead);
      await written(dead);
      clock.nowMs += RESERVATION_MS - 1;
      woken().expire();
      expect(budget.spent().micros).toBe(0);
      clock.nowMs += 1;
      woken().expire();
      expect(budget.spent()).toMatchObject({ micros: 100, estimatedCalls: 1, calls: 1 });
      await budget.settle(dead.callId, cost(20));
      expect(budget.spent()).toMatchObject({ micros: 20, estimatedCalls: 0, calls: 1 });
    }));

  it('[BU6] one message to the workspace per call, with the calls settled since the last one', () =>
    withBudget(async ({ budget, woken, charges, terms }) => {
      const [first, refused, last] = [call(), call(), call()];
      await budget.reserve(first);
      await budget.settle(first.callId, cost(60));
      await budget.reserve(refused);
      await budget.settle(refused.callId, FREE_OF_CHARGE);
      await budget.reserve(last);
      await budget.settle(last.callId, cost(null));
      await woken().flush();
      await budget.flush();
      expect(
        charges.map(({ settled, reserve }) => [settled.map(({ key }) => key), reserve?.callId]),
      ).toEqual([
        [[], first.callId],
        [[first.callId], refused.callId],
        [[refused.callId], last.callId],
        [[last.callId], undefined],
      ]);
      expect(charges[1]?.settled[0]).toEqual({
        key: first.callId,
        at: 1_000,
        model: MODEL,
        repository: terms.repository,
        costUsd: 0.00006,
        inputTokens: 8,
        outputTokens: 13,
      });
      expect(charges[3]?.settled[0]?.costUsd).toBeNull();
    }));

  it('[BU6] nothing is reserved when the workspace refuses or fails; settled calls are reported until that succeeds', () =>
    withBudget(async ({ budget, day, charges }) => {
      const first = call();
      await budget.reserve(first);
      await budget.settle(first.callId, cost(60));
      day.answer = async () => {
        throw new Error('gone');
      };
      expect(refusedWith(await budget.reserve(call()))).toBe('unavailable');
      await budget.flush();
      const spent = shipError('budget-exhausted', 'spent', 'raise it');
      day.answer = async () => reply(spent, 0);
      expect(await budget.reserve(call())).toEqual({ ok: false, error: spent });
      expect(budget.nextExpiryAt()).toBeUndefined();
      expect(charges.map(({ settled }) => settled.length)).toEqual([0, 1, 1, 1]);
      await budget.flush();
      expect(charges).toHaveLength(4);
    }));

  it('[BU7] near the daily cap a call waits for the workspace, far from it the call proceeds meanwhile', () =>
    withBudget(async ({ budget, day, clock, charges, written }) => {
      const spent = shipError('budget-exhausted', 'spent', 'raise it');
      const never = Promise.withResolvers<Result<DayAnswer>>();
      day.answer = async () => reply(null, 1_000_000);
      expect((await budget.reserve(call())).ok).toBe(true);
      day.answer = () => never.promise;
      const free = call();
      expect((await budget.reserve(free)).ok).toBe(true);
      await written(free);
      // The workspace still receives the reservation.
      expect(charges.at(-1)?.reserve?.callId).toBe(free.callId);
      // An expensive call has too little margin, and an old reply is not trusted.
      day.answer = async () => reply(spent, 1_000_000);
      expect(refusedWith(await budget.reserve(call(100_000)))).toBe('budget-exhausted');
      expect((await budget.reserve(call())).ok).toBe(true);
      clock.nowMs += 61_000;
      expect(refusedWith(await budget.reserve(call()))).toBe('budget-exhausted');
      never.resolve(reply(null));
    }));

  it('[GM6] a model that the session may not use, or a closed session, reserves nothing', () =>
    withBudget(async ({ budget, terms, charges }) => {
      terms.models = ['demo/other'];
      expect(refusedWith(await budget.reserve(call()))).toBe('model-not-allowed');
      expect(charges).toEqual([]);
    }));

  it('[GM7] no more than 32 calls at a time', () =>
    withBudget(async ({ budget }) => {
      for (let i = 0; i < 32; i++) expect((await budget.reserve(call())).ok).toBe(true);
      expect(refusedWith(await budget.reserve(call()))).toBe('rate-limited');
    }));

  it('keeps a bounded number of settled calls', () =>
    withBudget(async ({ budget, woken, clock }) => {
      const old = call();
      await budget.reserve(old);
      await budget.settle(old.callId, cost(1));
      for (let i = 0; i < 510; i++) {
        clock.nowMs += 1;
        const each = call();
        await budget.reserve(each);
        await budget.settle(each.callId, cost(1));
      }
      await woken().flush();
      // Forgotten: a repeated report would count again, but reports are not repeated that late.
      expect((await budget.reserve(old)).ok).toBe(true);
      expect(budget.spent().calls).toBe(511);
    }));
});
