import { describe, expect, it } from 'vitest';
import { diffLines, diffParts } from './diff-lines.ts';
import { plainOutput, tailLines } from './output.ts';
import { describeTool, toolSubject } from './tools.ts';

describe('output of tools', () => {
  it.each([
    ['colours', '\u001B[31mred\u001B[0m', 'red'],
    ['a title', '\u001B]0;evil\u0007text', 'text'],
    ['a link', '\u001B]8;;https://x\u001B\\label\u001B]8;;\u001B\\', 'label'],
    ['progress', '10%\r50%\r100%\ndone', '100%\ndone'],
    ['Windows lines', 'a\r\nb\r\n', 'a\nb\n'],
    ['bells and nulls', 'a\u0007\u0000b', 'ab'],
    ['right-to-left overrides', 'a\u202Ecod.exe', 'acod.exe'],
  ])('[WB7] %s', (_, given, shown) => expect(plainOutput(given)).toBe(shown));

  it('keeps the last lines', () => expect(tailLines('a\nb\nc\n\n', 2)).toBe('b\nc'));

  it('has labels for known tools and shows the name of others', () => {
    expect(describeTool('bash').verb).toBe('Ran');
    expect(describeTool('mcp_weather').verb).toBe('mcp_weather');
  });
});

describe('what a tool call is about', () => {
  it.each([
    ['its title', 'npm test', '{}', 'npm test'],
    ['its command', '', '{"command":"npm test\\nnext","description":"x"}', 'npm test'],
    ['its file', '', '{"filePath":"src/a.ts"}', 'src/a.ts'],
    ['nothing known', '', '{"todos":[]}', ''],
    ['broken input', '', '{"comm', ''],
  ])('%s', (_, title, input, subject) => expect(toolSubject(title, input)).toBe(subject));
});

describe('diffs', () => {
  it('distinguishes added lines, removed lines and headers', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n';
    expect(diffLines(diff).map(({ kind }) => kind)).toEqual([
      'head',
      'head',
      'hunk',
      'same',
      'removed',
      'added',
    ]);
  });

  it('a removed line that looks like a header is a removed line', () => {
    expect(diffLines('@@ -1 +1 @@\n--- a comment\n+++ another\n').map(({ kind }) => kind)).toEqual([
      'hunk',
      'removed',
      'added',
    ]);
  });

  it('[WB17] every hunk has its file, and repeated headers are left out', () => {
    const diff =
      'Index: a.ts\n====\n--- a.ts\tone\n+++ a.ts\ttwo\n@@ -1 +1 @@\n-x\n+y\n\\ No newline\n@@ -9 +9 @@\n z\n' +
      'Index: b.py\n====\n--- b.py\n+++ /dev/null\n@@ -1 +0 @@\n-q\n';
    expect(
      diffParts(diff).map(({ path, lines }) => [path, lines.map(({ sign, text }) => sign + text)]),
    ).toEqual([
      ['a.ts', ['--- a.ts\tone', '+++ a.ts\ttwo']],
      ['a.ts', ['@@ -1 +1 @@', '-x', '+y', '\\ No newline']],
      ['a.ts', ['@@ -9 +9 @@', ' z']],
      ['b.py', ['--- b.py', '+++ /dev/null']],
      ['b.py', ['@@ -1 +0 @@', '-q']],
    ]);
  });
});
