import { describe, expect, it } from 'vitest';
import { closedBecause } from './closed-files.ts';

const file = (path: string, additions = 1) => ({ path, additions, deletions: 0 });

describe('files that are closed at first', () => {
  it('[RV3] what tools write is closed, wherever it lies', () => {
    for (const path of [
      'package-lock.json',
      'apps/web/package-lock.json',
      'Cargo.lock',
      'go.sum',
      'dist/index.js',
      'a/vendor/b.go',
      'site.min.js',
      'src/__snapshots__/a.test.ts.snap',
      'api/user_pb2.py',
    ])
      expect([path, closedBecause(file(path))]).toEqual([path, 'generated']);
  });

  it('[RV3] what people write is open, unless it is long', () => {
    for (const path of ['src/lock.ts', 'src/distance.ts', 'vendors.ts', 'map.ts', 'README.md'])
      expect([path, closedBecause(file(path))]).toEqual([path, null]);
    expect(closedBecause(file('src/a.ts', 400))).toBeNull();
    expect(closedBecause(file('src/a.ts', 401))).toBe('large');
  });
});
