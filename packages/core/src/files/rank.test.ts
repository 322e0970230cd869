import { describe, expect, it } from 'vitest';
import { rankPaths } from './rank.ts';

const paths = [
  'README.md',
  'apps/web/src/features/home/home-page.tsx',
  'apps/web/src/features/home/task-form.tsx',
  'apps/cli/src/main.ts',
  'docs/home.md',
];

describe('files by what was typed', () => {
  it('[CM2] a name that has the letters together comes before one that has them in its folders', () => {
    expect(rankPaths(paths, 'home', 3)).toEqual([
      'docs/home.md',
      'apps/web/src/features/home/home-page.tsx',
      'apps/web/src/features/home/task-form.tsx',
    ]);
  });

  it('[CM2] letters may have others between them, in their order only', () => {
    expect(rankPaths(paths, 'tskfrm', 5)).toEqual(['apps/web/src/features/home/task-form.tsx']);
    expect(rankPaths(paths, 'CLI MAIN', 5)).toEqual(['apps/cli/src/main.ts']);
    expect(rankPaths(paths, 'mrofksat', 5)).toEqual([]);
  });

  it('without letters what is on top comes first', () => {
    expect(rankPaths(paths, '', 2)).toEqual(['README.md', 'docs/home.md']);
  });
});
