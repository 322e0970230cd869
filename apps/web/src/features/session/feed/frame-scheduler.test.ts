import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameScheduler } from './frame-scheduler.ts';

const frameMs = 17;
/**
 * A letter echoed less than 80 ms after a render postpones the next render; a key just before it starts a pause of 220 ms; a key
 * just before the end of that pause has its echo, and the render, 40 ms later.
 */
const LONGEST_WAIT_MS = 80 + 220 + 40;

/** A fake clock: timers run in order, with a frame every 17 ms. */
function fakeClock() {
  let nowMs = 0;
  let due: { readonly atMs: number; readonly work: () => void }[] = [];
  const at = (atMs: number, work: () => void) => {
    const one = { atMs, work };
    due.push(one);
    return () => (due = due.filter((other) => other !== one));
  };
  const clock = {
    nowMs: () => nowMs,
    after: (ms: number, then: () => void) => at(nowMs + ms, then),
    afterPaint: (then: () => void) => at((Math.floor(nowMs / frameMs) + 1) * frameMs, then),
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
  return { clock, until };
}

/** Streams a token every 5 ms with keys at the given times; returns the render times. */
function stream(keysMs: readonly number[], endMs: number, isEchoed = false): number[] {
  const { clock, until } = fakeClock();
  const renderedMs: number[] = [];
  const scheduler = new FrameScheduler(() => renderedMs.push(clock.nowMs()), clock);
  for (let nowMs = 0; nowMs <= endMs; nowMs += 1) {
    until(nowMs);
    if (nowMs % 5 === 0) scheduler.request();
    if (keysMs.includes(nowMs)) scheduler.onKey(isEchoed);
  }
  return renderedMs;
}

const keysEvery = (ms: number, endMs: number) =>
  Array.from({ length: Math.floor(endMs / ms) }, (_, index) => (index + 1) * ms);

describe('the frame scheduler', () => {
  it('[WB14] renders 20 times a second while there is no typing', () => {
    const renderedMs = stream([], 2000);
    expect(renderedMs.length).toBeGreaterThan(30);
    expect(renderedMs.length).toBeLessThanOrEqual(41);
  });

  it.each([70, 85, 120, 200])('[WB14] keys every %i ms: renders after letters only', (everyMs) => {
    const keysMs = keysEvery(everyMs, 3000);
    const renderedMs = stream(keysMs, 3000).filter((ms) => ms > everyMs);
    expect(renderedMs.length).toBeGreaterThan(6);
    for (const ms of renderedMs) {
      const sinceKeyMs = ms - (keysMs.findLast((key) => key <= ms) ?? 0);
      expect(sinceKeyMs).toBeGreaterThan(0);
      expect(sinceKeyMs).toBeLessThanOrEqual(frameMs);
    }
  });

  it('[WB14] typing never delays the stream for long', () => {
    const gaps = fc.array(fc.integer({ min: 20, max: 400 }), { maxLength: 30 });
    fc.assert(
      fc.property(gaps, fc.boolean(), (given, isEchoed) => {
        const keysMs = given.map((_, i) => given.slice(0, i + 1).reduce((sum, ms) => sum + ms, 0));
        const renderedMs = [0, ...stream(keysMs, 3000, isEchoed), 3000];
        const longestMs = Math.max(
          ...renderedMs.slice(1).map((ms, i) => ms - (renderedMs[i] ?? 0)),
        );
        expect(longestMs).toBeLessThanOrEqual(LONGEST_WAIT_MS);
      }),
      // A second key just before the echo of the first, a third just before the pause ends.
      { examples: [[[27, 35, 219], true]] },
    );
  });

  it('[WB14] a key that a shell echoes requests no frame: its letter would wait for the next one', () => {
    const { clock, until } = fakeClock();
    let frames = 0;
    const afterPaint = (then: () => void) => {
      frames += 1;
      return clock.afterPaint(then);
    };
    const scheduler = new FrameScheduler(() => undefined, { ...clock, afterPaint });
    for (const atMs of keysEvery(30, 600)) {
      until(atMs);
      scheduler.request();
      scheduler.onKey(true);
    }
    expect(frames).toBe(0);
    scheduler.onKey();
    expect(frames).toBe(1);
  });

  it('does not render without new text, or if another render has shown it', () => {
    const { clock, until } = fakeClock();
    const renderedMs: number[] = [];
    const scheduler = new FrameScheduler(() => renderedMs.push(clock.nowMs()), clock);
    scheduler.onKey();
    until(500);
    scheduler.request();
    scheduler.onRendered();
    until(1000);
    scheduler.request();
    scheduler.stop();
    until(2000);
    expect(renderedMs).toEqual([]);
  });
});
