import { describe, expect, it } from 'vitest';
import { editorPath, readTarget, targetText } from './target.ts';

describe('the target of the editor', () => {
  it('a file and a line round-trip through the URL', () => {
    for (const target of [
      { path: 'src/a.ts', line: 12 },
      { path: 'odd:name 1', line: 3 },
    ])
      expect(readTarget(targetText(target))).toEqual(target);
    expect(readTarget('README.md')).toEqual({ path: 'README.md', line: 1 });
    expect(readTarget(undefined)).toBeNull();
    expect(targetText({ path: '/home/user/repository/src/a.ts', line: 2 })).toBe('src/a.ts:2');
  });

  it('opens the folder and the file at its line', () => {
    expect(editorPath('/home/user/r', 'h:1', null)).toBe('/?folder=%2Fhome%2Fuser%2Fr');
    const path = editorPath('/home/user/r', 'h:1', { path: 'a b.ts', line: 7 });
    expect(JSON.parse(new URLSearchParams(path.slice(2)).get('payload') ?? '')).toEqual([
      ['openFile', 'vscode-remote://h:1/home/user/r/a%20b.ts:7:1'],
      ['gotoLineMode', 'true'],
    ]);
  });
});
