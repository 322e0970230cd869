import type { FolderEntry, SandboxListing } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { keyStep, parentOf, rowsOf, visibleFolders } from './tree.ts';

const listing = (path: string, ...names: string[]): [string, SandboxListing] => {
  const entries = names.map((name): FolderEntry => {
    const isFolder = name.endsWith('/');
    return {
      name: isFolder ? name.slice(0, -1) : name,
      kind: isFolder ? 'folder' : 'file',
      sizeBytes: isFolder ? null : 1,
    };
  });
  return [path, { path, entries, truncated: false }];
};

const listings = new Map([
  listing('/w', 'src/', 'test/', 'a.txt'),
  listing('/w/src', 'deep/', 'b.ts'),
  listing('/w/src/deep', 'c.ts'),
]);

describe('file tree', () => {
  const open = new Set(['/w/src', '/w/src/deep', '/w/test', '/w/gone/below']);
  const rows = rowsOf('/w', listings, open);

  it('the entries of an open folder follow it, one level deeper', () => {
    expect(rows.map(({ path, level }) => [path, level])).toEqual([
      ['/w/src', 1],
      ['/w/src/deep', 2],
      ['/w/src/deep/c.ts', 3],
      ['/w/src/b.ts', 2],
      ['/w/test', 1],
      ['/w/a.txt', 1],
    ]);
    expect(rows.find(({ path }) => path === '/w/test')).toMatchObject({ isLoading: true });
  });

  it('only visible folders are loaded', () => {
    expect(visibleFolders('/w', open)).toEqual(['/w', '/w/src', '/w/src/deep', '/w/test']);
    expect(visibleFolders('/w', new Set(['/w/src/deep']))).toEqual(['/w']);
    expect(visibleFolders('/', new Set(['/tmp']))).toEqual(['/', '/tmp']);
  });

  it('keys move, expand and collapse by the ARIA tree pattern', () => {
    const step = (path: string, key: string) => keyStep(rows, path, key);
    expect(step('/w/src', 'ArrowDown')).toEqual({ focus: '/w/src/deep' });
    expect(step('/w/src', 'ArrowUp')).toBeNull();
    expect(step('/w/a.txt', 'ArrowDown')).toBeNull();
    expect(step('/w/src', 'ArrowRight')).toEqual({ focus: '/w/src/deep' });
    expect(step('/w/src/b.ts', 'ArrowLeft')).toEqual({ focus: '/w/src' });
    expect(step('/w/src', 'ArrowLeft')).toEqual({ toggle: '/w/src' });
    expect(step('/w/a.txt', 'ArrowRight')).toBeNull();
    expect(step('/w/a.txt', 'Enter')).toEqual({ choose: '/w/a.txt' });
    expect(step('/w/src', 'End')).toEqual({ focus: '/w/a.txt' });
    expect(keyStep(rows, undefined, 'ArrowDown')).toEqual({ focus: '/w/src' });
    expect(step('/w/src', 'x')).toBeNull();
  });

  it('the root is its own parent', () => {
    expect([parentOf('/'), parentOf('/a'), parentOf('/a/b')]).toEqual(['/', '/', '/a']);
  });
});
