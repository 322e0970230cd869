import { describe, expect, it } from 'vitest';
import { chooseReuse } from './setup-reuse.ts';

const DAY_MS = 86_400_000;
const kept = { name: 'layer', key: 'a', madeAt: 1_000 };
const found = { mark: 'layer', kept, key: 'a' };

describe('whether a kept setup is used', () => {
  it('[KS1] reused with the same inputs, not with others or when too old', () => {
    expect(chooseReuse(found, DAY_MS)).toBe('reuse');
    expect(chooseReuse({ ...found, key: 'b' }, DAY_MS)).toBe('stale');
    expect(chooseReuse(found, 15 * DAY_MS)).toBe('stale');
    expect(chooseReuse({ ...found, mark: null }, DAY_MS)).toBe('none');
  });

  it('[KS8] a sandbox is not trusted: not reused without a matching record', () => {
    expect(chooseReuse({ ...found, kept: null }, DAY_MS)).toBe('stale');
    expect(chooseReuse({ ...found, mark: 'another' }, DAY_MS)).toBe('stale');
  });
});
