import { expect, it } from 'vitest';
import { CheckpointThrottle } from './checkpoint-throttle.ts';

function worker(tookMs: number, fails = false) {
  let nowMs = 1_000_000;
  const startedAtMs: number[] = [];
  const throttle = new CheckpointThrottle(() => nowMs);
  const work = async () => {
    startedAtMs.push(nowMs - 1_000_000);
    nowMs += tookMs;
    if (fails) throw new Error('not today');
    return 'done';
  };
  const askAfter = (ms: number) => {
    nowMs += ms;
    return throttle.runIfDue(work);
  };
  return { startedAtMs, askAfter };
}

it('runs at the first call, and then not at every one', async () => {
  const { startedAtMs, askAfter } = worker(100);
  expect(await askAfter(4_000)).toBe('done');
  expect(await askAfter(4_000)).toBeUndefined();
  for (let call = 0; call < 8; call += 1) await askAfter(4_000);
  expect(startedAtMs).toEqual([4_000, 20_100, 36_200]);
});

it('pauses longer after slow work', async () => {
  const { startedAtMs, askAfter } = worker(2_000);
  for (let call = 0; call < 30; call += 1) await askAfter(10_000);
  expect(startedAtMs).toEqual([10_000, 112_000, 214_000]);
});

it('pauses after a failure too', async () => {
  const { startedAtMs, askAfter } = worker(0, true);
  for (let call = 0; call < 5; call += 1) await askAfter(5_000).catch(() => undefined);
  expect(startedAtMs).toEqual([5_000, 20_000]);
});
