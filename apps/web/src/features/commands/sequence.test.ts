import { describe, expect, it } from 'vitest';
import { press } from './sequence.ts';

const known = ['g h', 'g s', 'mod+k', '?'];
const stroke = (key: string, atMs = 0, hasMod = false) => ({ key, atMs, hasMod });

describe('press', () => {
  it('matches a single key and a key with its modifier', () => {
    expect(press(null, stroke('?'), known).matched).toBe('?');
    expect(press(null, stroke('k', 0, true), known).matched).toBe('mod+k');
    expect(press(null, stroke('k'), known).matched).toBeNull();
  });

  it('matches two keys in a row', () => {
    const first = press(null, stroke('g', 0), known);
    expect(first).toEqual({ matched: null, pending: stroke('g', 0) });
    expect(press(first.pending, stroke('s', 400), known)).toEqual({
      matched: 'g s',
      pending: null,
    });
  });

  it('drops the first key if the second comes late', () => {
    expect(press(stroke('g', 0), stroke('s', 1201), known).matched).toBeNull();
  });

  it('starts over when the second key begins a sequence itself', () => {
    const again = press(stroke('g', 0), stroke('g', 300), known);
    expect(press(again.pending, stroke('h', 600), known).matched).toBe('g h');
  });
});
