import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_POLICY as policy, nextRetry } from './policy.ts';

describe('retry policy', () => {
  it('[RP1] retries transient failures only', () => {
    for (const category of ['persistent', 'user-action', 'fatal'] as const) {
      expect(nextRetry(category, 1, 0.5, policy)).toBeUndefined();
    }
    expect(nextRetry('transient', 1, 0.5, policy)).toBeDefined();
  });

  it('[RP2] never retries forever', () => {
    expect(nextRetry('transient', policy.maxAttempts, 0.5, policy)).toBeUndefined();
  });

  it('[RP3] waits between zero and a cap that doubles', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, jitter) => {
          const retry = nextRetry('transient', attempt, jitter, { ...policy, maxAttempts: 31 });
          const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
          expect(retry?.delayMs).toBeGreaterThanOrEqual(0);
          expect(retry?.delayMs).toBeLessThanOrEqual(ceilingMs);
        },
      ),
    );
  });
});
