import type { FileDiff } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { isViewed, readViewed, tick, writeViewed } from './viewed.ts';

const file = (path: string, ...lines: string[]): FileDiff => ({
  path,
  previousPath: null,
  status: 'modified',
  additions: 1,
  deletions: 0,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, section: '', lines }],
  omitted: null,
});

function shelfOf(initial: Record<string, string> = {}) {
  const kept = new Map(Object.entries(initial));
  const shelf = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  return () => shelf;
}

const denied = () => {
  throw new Error('denied');
};

describe('ticks of a review', () => {
  it('[RV2] a tick stays with its file until the change is another one', () => {
    const viewed = tick({}, file('a.ts', '+one'), true);
    expect(isViewed(viewed, file('a.ts', '+one'))).toBe(true);
    expect(isViewed(viewed, file('a.ts', '+two'))).toBe(false);
    expect(isViewed(viewed, file('b.ts', '+one'))).toBe(false);
    expect(tick(viewed, file('a.ts', '+one'), false)).toEqual({});
  });

  it('a file may have any name', () => {
    for (const path of ['__proto__', 'constructor', 'toString'])
      expect([path, isViewed({}, file(path, '+one'))]).toEqual([path, false]);
  });

  it('[RV2] they are read again after a reload, the newest reviews only', () => {
    const shelf = shelfOf();
    for (let n = 0; n < 40; n += 1)
      writeViewed(`ses_${n}`, tick({}, file('a.ts', '+one'), true), shelf);
    expect(isViewed(readViewed('ses_39', shelf), file('a.ts', '+one'))).toBe(true);
    expect(readViewed('ses_0', shelf)).toEqual({});
  });

  it('storage that is damaged or denied is no storage', () => {
    expect(readViewed('ses_1', shelfOf({ 'ship.viewed': '{not json' }))).toEqual({});
    expect(readViewed('ses_1', shelfOf({ 'ship.viewed': '{"a":1}' }))).toEqual({});
    expect(readViewed('ses_1', denied)).toEqual({});
    expect(() => writeViewed('ses_1', {}, denied)).not.toThrow();
  });
});
