import { describe, expect, it } from 'vitest';
import { countWords, levelOf } from './verdicts.ts';

describe('what is said of a run', () => {
  it.each([
    [{ passed: 8, failed: 0, skipped: 0 }, '8 passed'],
    [{ passed: 7, failed: 1, skipped: 2 }, '1 failed, 7 passed, 2 skipped'],
    [{ passed: 0, failed: 0, skipped: 0 }, 'no tests'],
  ])('%j', (counts, words) => expect(countWords(counts)).toBe(words));

  it('calls a score good only when it is', () => {
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
