import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { memoryLedger } from '../../testing/push-ledger.ts';
import { PushAllowance } from './push-allowance.ts';

const MB = 1024 ** 2;
const [A, B] = [createId('ses'), createId('ses')];

describe('the push allowance of a session', () => {
  const limits = { pushBytes: 3 * MB, sessionBytes: 5 * MB };

  it('[GG8] is bounded for one push', async () => {
    const meter = new PushAllowance(memoryLedger(), limits).meter(A);
    await meter.count(2 * MB);
    await meter.count(MB);
    await expect(meter.count(1)).rejects.toThrow('a push may have 3 MB at most');
  });

  it('[GG8] is bounded for all pushes of a session together, at the same time too', async () => {
    const allowance = new PushAllowance(memoryLedger(), limits);
    const [first, second] = [allowance.meter(A), allowance.meter(A)];
    await first.count(3 * MB);
    await second.count(2 * MB);
    await expect(second.count(1)).rejects.toThrow('this session has pushed 5 MB');
    await expect(allowance.meter(A).count(1)).rejects.toThrow('start a new session');
  });

  it('[GG8] is each session’s own', async () => {
    const allowance = new PushAllowance(memoryLedger(), limits);
    await expect(allowance.meter(A).count(6 * MB)).rejects.toThrow();
    await expect(allowance.meter(B).count(3 * MB)).resolves.toBeUndefined();
  });

  it('[GG8] counts what passed, and no less than that before it passes', async () => {
    const ledger = memoryLedger();
    const meter = new PushAllowance(ledger, limits).meter(A, 10);
    for (let piece = 0; piece < 40; piece += 1) {
      await meter.count(50_000);
      expect(ledger.pushed(A)).toBeGreaterThanOrEqual((piece + 1) * 50_000);
    }
    await meter.close();
    expect(ledger.pushed(A)).toBe(2_000_000);
    await meter.close();
    expect(ledger.pushed(A)).toBe(2_000_000);
  });

  it('[GG8] a request that claims any length gets no more than the limits', async () => {
    const ledger = memoryLedger();
    const meter = new PushAllowance(ledger, limits).meter(A, 1024 ** 4);
    await meter.count(10);
    expect(ledger.pushed(A)).toBe(5 * MB);
    await meter.close();
    expect(ledger.pushed(A)).toBe(10);
  });
});
