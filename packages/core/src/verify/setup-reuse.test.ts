import { describe, expect, it } from 'vitest';
import { chooseReuse } from './setup-reuse.ts';

const DAY_MS = 86_400_000;
const mark = { key: 'a', setupMs: 41_000, madeAt: 1_000 };

describe('whether a kept setup is used', () => {
  it('[KS1] the same inputs: yes; others, or a result that is old: no', () => {
    expect(chooseReuse(mark, 'a', DAY_MS)).toBe('reuse');
    expect(chooseReuse(mark, 'b', DAY_MS)).toBe('stale');
    expect(chooseReuse(mark, 'a', 15 * DAY_MS)).toBe('stale');
    expect(chooseReuse(null, 'a', DAY_MS)).toBe('none');
  });
});
