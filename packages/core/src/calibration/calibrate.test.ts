import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrate } from './calibrate.ts';

const outcome = fc.constantFrom('merged' as const, 'closed' as const, 'reverted' as const);
const counts = fc.array(
  fc.record({
    score: fc.integer({ min: 0, max: 100 }),
    outcome,
    total: fc.integer({ min: 0, max: 500 }),
  }),
);

describe('calibration', () => {
  it('[CB1] compares the prediction with the share that was merged and not reverted', () => {
    const { buckets, decided } = calibrate([
      { score: 90, outcome: 'merged', total: 8 },
      { score: 80, outcome: 'reverted', total: 1 },
      { score: 100, outcome: 'closed', total: 1 },
      { score: 40, outcome: 'closed', total: 2 },
    ]);
    expect(decided).toBe(12);
    expect(buckets.map(({ from, to }) => [from, to])).toEqual([
      [0, 39],
      [40, 59],
      [60, 79],
      [80, 100],
    ]);
    expect(buckets[3]).toMatchObject({
      merged: 8,
      reverted: 1,
      closed: 1,
      predicted: 0.9,
      kept: 0.8,
    });
    expect(buckets[3]?.isTelling).toBe(true);
  });

  it('[CB2] a small sample is marked, and an empty one has no shares', () => {
    const { buckets } = calibrate([{ score: 85, outcome: 'merged', total: 2 }]);
    expect(buckets[3]).toMatchObject({ kept: 1, keptHigh: 1, isTelling: false });
    expect(buckets[3]?.keptLow).toBeLessThan(0.4);
    expect(buckets[0]).toMatchObject({
      kept: null,
      predicted: null,
      keptLow: null,
      isTelling: false,
    });
  });

  it('[CB2] shares are always between 0 and 1 and within their interval', () => {
    fc.assert(
      fc.property(counts, (given) => {
        const { buckets, decided } = calibrate(given);
        const sum = buckets.reduce(
          (all, { merged, closed, reverted }) => all + merged + closed + reverted,
          0,
        );
        expect(sum).toBe(decided);
        for (const { kept, keptLow, keptHigh, predicted } of buckets) {
          if (kept === null || keptLow === null || keptHigh === null || predicted === null)
            continue;
          expect(keptLow).toBeGreaterThanOrEqual(0);
          expect(keptLow - 1e-9).toBeLessThanOrEqual(kept);
          expect(kept).toBeLessThanOrEqual(keptHigh + 1e-9);
          expect(keptHigh).toBeLessThanOrEqual(1);
          expect(predicted).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
