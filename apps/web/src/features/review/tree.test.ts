import type { FileDiff } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { inTreeOrder, treeOf } from './tree.ts';

const file = (path: string): FileDiff => ({
  path,
  previousPath: null,
  status: 'modified',
  additions: 1,
  deletions: 0,
  hunks: [],
  omitted: null,
});
const draw = (...paths: string[]) =>
  treeOf(paths.map(file)).map(({ name, depth, kind }) => {
    const mark = kind === 'folder' ? '/' : '';
    return `${'  '.repeat(depth)}${name}${mark}`;
  });

describe('the tree of changed files', () => {
  it('has folders before files, and joins folders with a single child folder', () => {
    expect(draw('z.ts', 'a/b/c/one.ts', 'a/b/c/two.ts', 'a/b/d.ts', 'README.md')).toEqual([
      'a/b/',
      '  c/',
      '    one.ts',
      '    two.ts',
      '  d.ts',
      'README.md',
      'z.ts',
    ]);
  });

  it('lists each file once, in tree order', () => {
    const order = inTreeOrder(['z.ts', 'a/x.ts', 'b.ts'].map(file)).map(({ path }) => path);
    expect(order).toEqual(['a/x.ts', 'b.ts', 'z.ts']);
    expect(treeOf([])).toEqual([]);
  });
});
