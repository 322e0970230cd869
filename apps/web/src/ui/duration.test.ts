import { describe, expect, it } from 'vitest';
import { formatAgo, formatDuration } from './duration.ts';

const s = 1000;
const min = 60 * s;
const h = 60 * min;
const d = 24 * h;

describe('formatDuration', () => {
  it.each([
    [0, '0 s'],
    [999, '0 s'],
    [59 * s, '59 s'],
    [min, '1 min'],
    [7 * min + 41 * s, '7 min'],
    [h, '1 h'],
    [2 * h + 5 * min + 59 * s, '2 h 5 min'],
    [d + 30 * min, '1 d'],
    [3 * d + 4 * h, '3 d 4 h'],
  ])('%d ms is %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });

  it('treats a negative age as zero', () => {
    expect(formatDuration(-5 * min)).toBe('0 s');
  });
});

describe('formatAgo', () => {
  it('shows "just now" below five seconds', () => {
    expect(formatAgo(4999)).toBe('just now');
    expect(formatAgo(5000)).toBe('5 s ago');
  });
});
