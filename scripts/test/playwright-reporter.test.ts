import { expect, it } from 'vitest';
import { split } from './playwright-reporter.ts';

const step = (category: string, startMs: number, duration: number) => ({
  category,
  startTime: new Date(startMs),
  duration,
});

it('takes the time between the hooks for the test, also when shared fixtures take longer than its duration', () => {
  const steps = [step('hook', 0, 15_000), step('expect', 15_000, 900), step('hook', 16_000, 500)];
  expect(split({ duration: 1_700, steps })).toEqual({ setupMs: 15_500, testMs: 1_000 });
});

it('takes the duration when a test ended before its hooks, or has none', () => {
  expect(split({ duration: 70, steps: [] })).toEqual({ setupMs: 0, testMs: 70 });
  expect(split({ duration: 70, steps: [step('hook', 0, 20)] })).toEqual({
    setupMs: 20,
    testMs: 70,
  });
});
