import { evictDurableObject } from 'cloudflare:test';
import type { ModelRef, UsageEntry } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import type { DayCharge } from '../models/budget/port.ts';
import { newWorkspace } from '../testing/workspace.ts';
import { unwrap } from '../platform/result.ts';

let made = 0;
const entry = (key: string, costUsd: number | null, at = Date.now()): UsageEntry => ({
  key,
  at,
  model: 'demo/demo',
  repository: '/r',
  costUsd,
  inputTokens: 10,
  outputTokens: 5,
});
const reserve = (micros: number | null, expiresAt = Date.now() + 60_000, tokens = 100) => ({
  callId: `day-${++made}`,
  micros,
  tokens,
  expiresAt,
});

const charge = async (stub: ReturnType<typeof newWorkspace>, charged: DayCharge) =>
  unwrap(await stub.chargeDay(charged));

describe('daily budget', { timeout: 60_000 }, () => {
  it('[BU7] counts settled and open calls of all sessions', async () => {
    const stub = newWorkspace();
    unwrap(await stub.patchSettings({ budgets: { dailyUsd: 1 } }, undefined));
    const first = reserve(600_000);
    const second = reserve(600_000);
    expect((await charge(stub, { settled: [], reserve: first })).refusal).toBeNull();
    expect((await charge(stub, { settled: [], reserve: second })).refusal).toBeNull();
    const third = reserve(10);
    expect((await charge(stub, { settled: [], reserve: third })).refusal?.code).toBe(
      'rate-limited',
    );
    expect(unwrap(await stub.readSpending())).toMatchObject({ reservedUsd: 1.2 });
    const settled = [entry(first.callId, 0.25), entry(second.callId, 0.5)];
    expect((await charge(stub, { settled, reserve: third })).refusal).toBeNull();
    // A repeated report counts once.
    const rest = [...settled, entry(third.callId, 0.25)];
    const spent = (await charge(stub, { settled: rest, reserve: reserve(1) })).refusal;
    expect(spent?.code).toBe('budget-exhausted');
    expect(spent?.message).toContain('$1.00 of $1.00');
    expect(unwrap(await stub.readSpending())).toMatchObject({
      today: { costUsd: 1, entries: 3, inputTokens: 30 },
      month: { costUsd: 1 },
      reservedUsd: 0,
      caps: { dailyUsd: 1, sessionUsd: 5, byDefault: ['turnUsd', 'sessionUsd'] },
    });
  });

  it('[BU7] a cap in tokens holds for models without a price too', async () => {
    const stub = newWorkspace();
    unwrap(await stub.patchSettings({ budgets: { dailyTokens: 150 } }, undefined));
    const calls = [reserve(null), reserve(null), reserve(null)] as const;
    expect(await charge(stub, { settled: [], reserve: calls[0] })).toEqual({
      refusal: null,
      leftMicros: 25_000_000,
      leftTokens: 50,
    });
    expect((await charge(stub, { settled: [], reserve: calls[1] })).refusal).toBeNull();
    const held = await charge(stub, { settled: [], reserve: calls[2] });
    expect(held.refusal?.code).toBe('rate-limited');
    const settled = calls.slice(0, 2).map(({ callId }) => ({
      ...entry(callId, null),
      inputTokens: 70,
      outputTokens: 5,
    }));
    const spent = await charge(stub, { settled, reserve: calls[2] });
    expect(spent).toMatchObject({ refusal: { code: 'budget-exhausted' }, leftTokens: 0 });
    expect(spent.refusal?.message).toContain('150 of 150 tokens');
  });

  it('[BU7] yesterday does not count for today, and reservations of a silent session expire', async () => {
    const stub = newWorkspace();
    unwrap(await stub.patchSettings({ budgets: { dailyUsd: 1 } }, undefined));
    const yesterday = Date.now() - 86_400_000;
    const dead = reserve(5_000_000, Date.now() - 1);
    unwrap(await stub.chargeDay({ settled: [entry('old', 5, yesterday)], reserve: dead }));
    expect((await charge(stub, { settled: [], reserve: reserve(1) })).refusal).toBeNull();
  });

  it('[BU3] with a cap, calls without a known price are refused; without one they count as unpriced', async () => {
    const stub = newWorkspace();
    expect((await charge(stub, { settled: [], reserve: reserve(null) })).refusal).toBeNull();
    unwrap(await stub.chargeDay({ settled: [entry('free', null)], reserve: null }));
    expect(unwrap(await stub.readSpending()).today).toMatchObject({ costUsd: 0, unpriced: 1 });
    unwrap(await stub.patchSettings({ budgets: { dailyUsd: 1 } }, undefined));
    const refused = (await charge(stub, { settled: [], reserve: reserve(null) })).refusal;
    expect(refused?.code).toBe('price-unknown');
  });

  it('[BU11] the default cap is $25, of which the demo model uses nothing', async () => {
    const stub = newWorkspace();
    const demo = { ...entry('demo', 30), model: 'demo/demo' as ModelRef };
    expect((await charge(stub, { settled: [demo], reserve: reserve(1) })).refusal).toBeNull();
    const real = { ...entry('real', 25), model: 'openai/gpt-5' as ModelRef };
    const refused = (await charge(stub, { settled: [real], reserve: reserve(1) })).refusal;
    expect(refused).toMatchObject({ code: 'budget-exhausted' });
    const free = { ...reserve(1), isFree: true };
    expect((await charge(stub, { settled: [], reserve: free })).refusal).toBeNull();
    expect((await charge(stub, { settled: [], reserve: reserve(null) })).refusal).toBeNull();
    unwrap(await stub.patchSettings({ budgets: { dailyUsd: null } }, undefined));
    expect((await charge(stub, { settled: [], reserve: reserve(1) })).refusal).toBeNull();
    expect(unwrap(await stub.readSpending()).caps).toMatchObject({
      dailyUsd: null,
      byDefault: ['turnUsd', 'sessionUsd'],
    });
  });

  it('[BU12] a removed cap stays removed after an eviction', async () => {
    const stub = newWorkspace();
    unwrap(await stub.patchSettings({ budgets: { turnUsd: null } }, undefined));
    await evictDurableObject(stub);
    expect(unwrap(await stub.readSpending()).caps).toMatchObject({
      turnUsd: null,
      byDefault: ['sessionUsd', 'dailyUsd'],
    });
  });
});
