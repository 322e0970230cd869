import { describe, expect, it } from 'vitest';
import { rankPaths } from './rank.ts';

const paths = [
  'README.md',
  'apps/web/src/features/home/home-page.tsx',
  'apps/web/src/features/home/task-form.tsx',
  'apps/cli/src/main.ts',
  'docs/home.md',
];

describe('file search', () => {
  it('[CM2] a name with adjacent letters comes before one with the letters in its folders', () => {
    expect(rankPaths(paths, 'home', 3)).toEqual([
      'docs/home.md',
      'apps/web/src/features/home/home-page.tsx',
      'apps/web/src/features/home/task-form.tsx',
    ]);
  });

  it('[CM2] letters may have others between them, but must be in order', () => {
    expect(rankPaths(paths, 'tskfrm', 5)).toEqual(['apps/web/src/features/home/task-form.tsx']);
    expect(rankPaths(paths, 'CLI MAIN', 5)).toEqual(['apps/cli/src/main.ts']);
    expect(rankPaths(paths, 'mrofksat', 5)).toEqual([]);
  });

  it('without letters, files in upper folders come first', () => {
    expect(rankPaths(paths, '', 2)).toEqual(['README.md', 'docs/home.md']);
  });
});
