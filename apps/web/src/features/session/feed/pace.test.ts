import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamPace } from './pace.ts';

const frameMs = 17;
/**
 * A letter echoed less than 80 ms after a render postpones the next render; a key just before it starts a pause of 220 ms; a key
 * just before the end of that pause has its echo, and the render, 40 ms later.
 */
const LONGEST_WAIT_MS = 80 + 220 + 40;

/** A fake clock: timers run in order, with a frame every 17 ms. */
function clock() {
  let nowMs = 0;
  let due: { readonly atMs: number; readonly work: () => void }[] = [];
  const at = (atMs: number, work: () => void) => {
    const one = { atMs, work };
    due.push(one);
    return () => (due = due.filter((other) => other !== one));
  };
  const hands = {
    nowMs: () => nowMs,
    after: (ms: number, then: () => void) => at(nowMs + ms, then),
    drawn: (then: () => void) => at((Math.floor(nowMs / frameMs) + 1) * frameMs, then),
  };
  const until = (endMs: number) => {
    for (;;) {
      const [next] = due.toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > endMs) break;
      due = due.filter((other) => other !== next);
      nowMs = Math.max(nowMs, next.atMs);
      next.work();
    }
    nowMs = endMs;
  };
  return { hands, until };
}

/** Streams a token every 5 ms with keys at the given times; returns the render times. */
function stream(keysMs: readonly number[], endMs: number, isEchoed = false): number[] {
  const { hands, until } = clock();
  const drawnMs: number[] = [];
  const pace = new StreamPace(() => drawnMs.push(hands.nowMs()), hands);
  for (let nowMs = 0; nowMs <= endMs; nowMs += 1) {
    until(nowMs);
    if (nowMs % 5 === 0) pace.ask();
    if (keysMs.includes(nowMs)) pace.key(isEchoed);
  }
  return drawnMs;
}

const keysEvery = (ms: number, endMs: number) =>
  Array.from({ length: Math.floor(endMs / ms) }, (_, index) => (index + 1) * ms);

describe('the pace of a stream', () => {
  it('[WB14] is twenty drawings a second when nobody types', () => {
    const drawnMs = stream([], 2000);
    expect(drawnMs.length).toBeGreaterThan(30);
    expect(drawnMs.length).toBeLessThanOrEqual(41);
  });

  it.each([70, 85, 120, 200])('[WB14] keys every %i ms: drawn after letters only', (everyMs) => {
    const keysMs = keysEvery(everyMs, 3000);
    const drawnMs = stream(keysMs, 3000).filter((ms) => ms > everyMs);
    expect(drawnMs.length).toBeGreaterThan(6);
    for (const ms of drawnMs) {
      const sinceKeyMs = ms - (keysMs.findLast((key) => key <= ms) ?? 0);
      expect(sinceKeyMs).toBeGreaterThan(0);
      expect(sinceKeyMs).toBeLessThanOrEqual(frameMs);
    }
  });

  it('[WB14] whatever is typed, what streams is never held back for long', () => {
    const gaps = fc.array(fc.integer({ min: 20, max: 400 }), { maxLength: 30 });
    fc.assert(
      fc.property(gaps, fc.boolean(), (given, isEchoed) => {
        const keysMs = given.map((_, i) => given.slice(0, i + 1).reduce((sum, ms) => sum + ms, 0));
        const drawnMs = [0, ...stream(keysMs, 3000, isEchoed), 3000];
        const longestMs = Math.max(...drawnMs.slice(1).map((ms, i) => ms - (drawnMs[i] ?? 0)));
        expect(longestMs).toBeLessThanOrEqual(LONGEST_WAIT_MS);
      }),
      // A second key just before the echo of the first, a third just before the pause ends.
      { examples: [[[27, 35, 219], true]] },
    );
  });

  it('[WB14] a key that a shell echoes asks for no frame: its letter would wait for the one after', () => {
    const { hands, until } = clock();
    let frames = 0;
    const drawn = (then: () => void) => {
      frames += 1;
      return hands.drawn(then);
    };
    const pace = new StreamPace(() => undefined, { ...hands, drawn });
    for (const atMs of keysEvery(30, 600)) {
      until(atMs);
      pace.ask();
      pace.key(true);
    }
    expect(frames).toBe(0);
    pace.key();
    expect(frames).toBe(1);
  });

  it('draws nothing when nothing is new, or when it was drawn with something else', () => {
    const { hands, until } = clock();
    const drawnMs: number[] = [];
    const pace = new StreamPace(() => drawnMs.push(hands.nowMs()), hands);
    pace.key();
    until(500);
    pace.ask();
    pace.done();
    until(1000);
    pace.ask();
    pace.stop();
    until(2000);
    expect(drawnMs).toEqual([]);
  });
});
