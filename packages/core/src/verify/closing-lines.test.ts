import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closingLines } from './closing-lines.ts';

describe('closing lines of the agent', () => {
  it('[GN7] are read apart from the message, with the marks that models add', () => {
    const text = `I looked at it.

**Change:** Sum in \`Cart.total_cents\`
- Whole change: The total is exact, and *args stay as they are.
Confidence: 90%`;
    expect(closingLines(text)).toEqual({
      change: 'Sum in `Cart.total_cents`',
      whole: 'The total is exact, and *args stay as they are.',
      rest: 'I looked at it.\n\nConfidence: 90%',
    });
  });

  it('[GN7] prose that uses the words stays, and the last line of a kind counts', () => {
    const prose = 'The change: it is small.\nNo change:\nexchange: 3';
    expect(closingLines(prose)).toEqual({ change: null, whole: null, rest: prose });
    expect(closingLines('Change: a b\nChange: c d').change).toBe('c d');
  });

  it('[GN7] reads any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(closingLines(text).rest.length).toBeLessThanOrEqual(text.length);
      }),
    );
    expect(closingLines(`${'*'.repeat(100_000)}\n${'-'.repeat(900)}`).change).toBeNull();
  });
});
