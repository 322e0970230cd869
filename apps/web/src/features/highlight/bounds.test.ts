import { describe, expect, it } from 'vitest';
import { isWithinBounds } from './bounds.ts';

const lines = (count: number, text = 'a') => Array.from({ length: count }, () => text).join('\n');

describe('highlighted texts', () => {
  it('[WB18] have limited lines and characters', () => {
    expect(isWithinBounds('')).toBe(true);
    expect(isWithinBounds(lines(3000))).toBe(true);
    expect(isWithinBounds(`${lines(3000)}\n`)).toBe(true);
    expect(isWithinBounds(lines(3001))).toBe(false);
    expect(isWithinBounds(lines(2000, 'x'.repeat(99)))).toBe(true);
    expect(isWithinBounds(lines(2000, 'x'.repeat(100)))).toBe(false);
  });

  it('[WB18] have no overlong line', () => {
    expect(isWithinBounds(`a\n${'x'.repeat(2000)}\nb`)).toBe(true);
    expect(isWithinBounds(`a\n${'x'.repeat(2001)}\nb`)).toBe(false);
    expect(isWithinBounds('x'.repeat(2001))).toBe(false);
  });
});
