import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type EvictionCandidate, relieve } from './memory-pressure.ts';
import { parseMemory } from './memory-reading.ts';

const limits = { minAvailableMb: 512, maxStallPercent: 10 };
const frozen: EvictionCandidate[] = [
  { id: 'young', isFrozen: true, idleSinceMs: 3_000 },
  { id: 'old', isFrozen: true, idleSinceMs: 1_000 },
  { id: 'middle', isFrozen: true, idleSinceMs: 2_000 },
];
const plenty = { availableMb: 512, stallPercent: 10 };

describe('memory pressure', () => {
  it('[SM1] the longest frozen goes to sleep first, and memory is measured again afterwards', () => {
    const short = { availableMb: 511, stallPercent: undefined };
    expect(relieve(short, limits, frozen)).toEqual({ do: 'sleep', id: 'old', again: true });
    const unknown = { id: 'before-our-time', isFrozen: true, idleSinceMs: undefined };
    expect(relieve(short, limits, [...frozen, unknown])).toMatchObject({ id: unknown.id });
  });

  it('[SM7] idle running sandboxes come after all frozen ones, the longest idle first', () => {
    const short = { availableMb: 0, stallPercent: undefined };
    const idle = [
      { id: 'short-idle', isFrozen: false, idleSinceMs: 800 },
      { id: 'long-idle', isFrozen: false, idleSinceMs: 500 },
    ];
    const order: string[] = [];
    let left = [...idle, ...frozen];
    while (left.length > 0) {
      const relief = relieve(short, limits, left);
      if (relief.do === 'nothing') break;
      order.push(relief.id);
      left = left.filter(({ id }) => id !== relief.id);
    }
    expect(order).toEqual(['old', 'middle', 'young', 'long-idle', 'short-idle']);
  });

  it('[SM2] nothing happens while there is enough, or when nothing is frozen', () => {
    expect(relieve(plenty, limits, frozen)).toEqual({ do: 'nothing' });
    expect(relieve({ availableMb: 0, stallPercent: 99 }, limits, [])).toEqual({ do: 'nothing' });
  });

  it('[SM3] stalls without a shortage cost one sandbox per round', () => {
    const stalled = { availableMb: 4_096, stallPercent: 10.5 };
    expect(relieve(stalled, limits, frozen)).toEqual({ do: 'sleep', id: 'old', again: false });
  });

  it('[SM1] repeated rounds end with enough memory or no candidates, in order of age', () => {
    const sandbox = fc.record({
      idleSinceMs: fc.nat(1_000),
      isFrozen: fc.constant(true),
      usesMb: fc.integer({ min: 1, max: 400 }),
    });
    fc.assert(
      fc.property(fc.array(sandbox, { maxLength: 12 }), fc.nat(1_000), (all, startMb) => {
        const left = all.map((one, index) => ({ ...one, id: String(index) }));
        const slept: number[] = [];
        let availableMb = startMb;
        for (;;) {
          const relief = relieve({ availableMb, stallPercent: undefined }, limits, left);
          if (relief.do === 'nothing') break;
          const [gone] = left.splice(
            left.findIndex(({ id }) => id === relief.id),
            1,
          );
          availableMb += gone?.usesMb ?? 0;
          slept.push(gone?.idleSinceMs ?? -1);
        }
        expect(availableMb >= limits.minAvailableMb || left.length === 0).toBe(true);
        expect(slept).toEqual(slept.toSorted((a, b) => a - b));
      }),
    );
  });

  it('parses the files of the kernel, and treats missing values as plenty', () => {
    const pressure =
      'some avg10=3.10 avg60=0.00 avg300=0.00 total=1\nfull avg10=1.25 avg60=0.00 avg300=0.00 total=1\n';
    const meminfo = 'MemTotal: 100 kB\nMemAvailable:    2048 kB\n';
    expect(parseMemory(meminfo, pressure)).toEqual({ availableMb: 2, stallPercent: 1.25 });
    expect(parseMemory('', '')).toEqual({
      availableMb: Number.POSITIVE_INFINITY,
      stallPercent: undefined,
    });
  });
});
