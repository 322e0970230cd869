import { describe, expect, it } from 'vitest';
import { daysBetween, firstDay, niceCeiling, shortDay } from './days.ts';

describe('days of a chart', () => {
  it('has every day, across months and clock changes', () => {
    expect(daysBetween('2026-02-27', '2026-03-02')).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
    expect(daysBetween('2026-01-01', '2026-12-31')).toHaveLength(365);
  });

  it('includes today', () => {
    expect(firstDay(7, Date.parse('2026-03-07T23:59:59Z'))).toBe('2026-03-01');
    expect(shortDay('2026-03-01')).toBe('1 Mar');
  });

  it.each([
    [0, 1],
    [0.83, 1],
    [1.2, 2],
    [2.4, 2.5],
    [730, 1000],
  ])('an axis for %d ends at %d', (value, end) => expect(niceCeiling(value)).toBe(end));
});
