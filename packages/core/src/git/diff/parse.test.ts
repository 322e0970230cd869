import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIFF_LIMITS, fileDiff, parseChangedFiles, parseHunks, splitPatches } from './parse.ts';

const file = (change = {}) => ({
  path: 'a',
  previousPath: null,
  status: 'modified' as const,
  additions: 1,
  deletions: 1,
  isBinary: false,
  ...change,
});

describe('diffs', { timeout: 60_000 }, () => {
  it('[GD1] lines are counted, so content that looks like a header stays content', () => {
    const patch =
      '@@ -1,3 +1,3 @@ function x()\n-- a\n+++ b\n @@ -9 +9 @@\n \n\\ No newline at end of file\n';
    expect(parseHunks(`--- a/x\n+++ b/x\n${patch}`)).toEqual([
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 3,
        section: 'function x()',
        lines: ['-- a', '+++ b', ' @@ -9 +9 @@', ' ', '\\ No newline at end of file'],
      },
    ]);
  });

  it('[GD1] parses any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(Array.isArray(parseHunks(`@@ -1 +1 @@\n${a}\n@@ -1,9 +2 @@\n${b}`))).toBe(true);
        expect(Array.isArray(parseChangedFiles(`${a}\0:${b}`))).toBe(true);
        expect(Array.isArray(splitPatches(a))).toBe(true);
      }),
    );
  });

  it('[GD2] paths stay unquoted, renames have both', () => {
    const raw =
      ':100644 100644 aaa bbb M\0tab\there\n"q"\0:100644 100644 aaa aaa R100\0old\0new\0:000000 100644 000 bbb A\0bin\0' +
      '1\t2\ttab\there\n"q"\0' +
      '0\t0\t\0old\0new\0-\t-\tbin\0';
    expect(parseChangedFiles(raw)).toEqual([
      file({ path: 'tab\there\n"q"', additions: 1, deletions: 2 }),
      file({ path: 'new', previousPath: 'old', status: 'renamed', additions: 0, deletions: 0 }),
      file({ path: 'bin', status: 'added', additions: 0, deletions: 0, isBinary: true }),
    ]);
  });

  it('[GD3] binary and long files are listed without their lines', () => {
    const patch = 'a/a b/a\n@@ -1 +1 @@\n-a\n+b\n';
    expect(fileDiff(file(), patch)).toMatchObject({
      omitted: null,
      hunks: [{ lines: ['-a', '+b'] }],
    });
    expect(fileDiff(file({ isBinary: true }), patch)).toMatchObject({
      omitted: 'binary',
      hunks: [],
    });
    expect(fileDiff(file(), 'x'.repeat(DIFF_LIMITS.patchBytes + 1)).omitted).toBe('too-large');
    expect(fileDiff(file({ additions: DIFF_LIMITS.patchLines + 1 }), patch).omitted).toBe(
      'too-large',
    );
    expect(fileDiff(file(), undefined).omitted).toBe('too-large');
    expect(
      fileDiff(file({ additions: 0, deletions: 0, status: 'renamed' }), undefined).omitted,
    ).toBeNull();
  });

  it('a line that contains the head of a patch does not split it', () => {
    expect(
      splitPatches('diff --git a/x b/x\n+\rdiff --git a/y b/y\n+ diff --git\ndiff --git a/z b/z\n')
        .length,
    ).toBe(2);
  });
});
