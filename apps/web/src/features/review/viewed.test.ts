import type { FileDiff } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { isViewed, readViewed, withViewed, writeViewed } from './viewed.ts';

const file = (path: string, ...lines: string[]): FileDiff => ({
  path,
  previousPath: null,
  status: 'modified',
  additions: 1,
  deletions: 0,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, section: '', lines }],
  omitted: null,
});

function storageOf(initial: Record<string, string> = {}) {
  const kept = new Map(Object.entries(initial));
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  return () => storage;
}

const denied = () => {
  throw new Error('denied');
};

describe('viewed files of a review', () => {
  it('[RV2] a file stays viewed until its change differs', () => {
    const viewed = withViewed({}, file('a.ts', '+one'), true);
    expect(isViewed(viewed, file('a.ts', '+one'))).toBe(true);
    expect(isViewed(viewed, file('a.ts', '+two'))).toBe(false);
    expect(isViewed(viewed, file('b.ts', '+one'))).toBe(false);
    expect(withViewed(viewed, file('a.ts', '+one'), false)).toEqual({});
  });

  it('a file may have any name', () => {
    for (const path of ['__proto__', 'constructor', 'toString'])
      expect([path, isViewed({}, file(path, '+one'))]).toEqual([path, false]);
  });

  it('[RV2] they survive a reload, for the newest reviews only', () => {
    const storage = storageOf();
    for (let n = 0; n < 40; n += 1)
      writeViewed(`ses_${n}`, withViewed({}, file('a.ts', '+one'), true), storage);
    expect(isViewed(readViewed('ses_39', storage), file('a.ts', '+one'))).toBe(true);
    expect(readViewed('ses_0', storage)).toEqual({});
  });

  it('damaged or denied storage reads as empty', () => {
    expect(readViewed('ses_1', storageOf({ 'ship.viewed': '{not json' }))).toEqual({});
    expect(readViewed('ses_1', storageOf({ 'ship.viewed': '{"a":1}' }))).toEqual({});
    expect(readViewed('ses_1', denied)).toEqual({});
    expect(() => writeViewed('ses_1', {}, denied)).not.toThrow();
  });
});
