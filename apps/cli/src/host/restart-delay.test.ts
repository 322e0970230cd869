import { expect, it } from 'vitest';
import { RestartDelay } from './restart-delay.ts';

it('[HO1] waits longer after each crash, up to a cap, and resets after a stable run', () => {
  const delay = new RestartDelay();
  const delays = Array.from({ length: 10 }, () => {
    delay.started(0);
    return delay.next(1_000);
  });
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
  delay.started(0);
  expect(delay.next(60_000)).toBe(100);
});

it('[HO1] keeps counting when the process never became ready', () => {
  const delay = new RestartDelay();
  delay.next(0);
  expect(delay.next(3_600_000)).toBe(200);
});
