import { describe, expect, it } from 'vitest';
import { collapseReason } from './collapsed-files.ts';

const file = (path: string, additions = 1) => ({ path, additions, deletions: 0 });

describe('initially collapsed files', () => {
  it('[RV3] generated files are collapsed in any folder', () => {
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
      expect([path, collapseReason(file(path))]).toEqual([path, 'generated']);
  });

  it('[RV3] other files are open unless they are long', () => {
    for (const path of ['src/lock.ts', 'src/distance.ts', 'vendors.ts', 'map.ts', 'README.md'])
      expect([path, collapseReason(file(path))]).toEqual([path, null]);
    expect(collapseReason(file('src/a.ts', 400))).toBeNull();
    expect(collapseReason(file('src/a.ts', 401))).toBe('large');
  });
});
