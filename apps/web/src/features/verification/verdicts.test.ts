import { describe, expect, it } from 'vitest';
import { formatTestCounts, levelOf } from './verdicts.ts';

describe('test results', () => {
  it.each([
    [{ passed: 8, failed: 0, skipped: 0 }, '8 passed'],
    [{ passed: 7, failed: 1, skipped: 2 }, '1 failed, 7 passed, 2 skipped'],
    [{ passed: 0, failed: 0, skipped: 0 }, 'no tests'],
  ])('%j', (counts, words) => expect(formatTestCounts(counts)).toBe(words));

  it('maps scores to levels', () => {
    expect([1, 0.75, 0.74, 0.4, 0.39, 0].map(levelOf)).toEqual([
      'ok',
      'ok',
      'warn',
      'warn',
      'bad',
      'bad',
    ]);
  });
});
