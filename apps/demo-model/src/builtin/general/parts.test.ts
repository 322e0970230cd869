import { describe, expect, it } from 'vitest';
import { intentOf, keywordsOf } from './intent.ts';
import { candidatesFor } from './fix/candidates.ts';
import { calledNames, importedFiles, listedFile } from './fix/related-files.ts';
import { parseTestOutput } from './outcome.ts';
import { fileText, filesOf, hitsOf } from './tool-output.ts';
import { fallbackRunner, findRunner } from './runner.ts';

const relative = (path: string): string => path.replace('/repo/', '');
const texts = (entries: Record<string, string>) => new Map(Object.entries(entries));
const noHint = { direction: null, byOne: false } as const;

describe('intent of a prompt', () => {
  it.each([
    ['Fix the failing test', 'fix'],
    ['The total is wrong', 'fix'],
    ['Update the README', 'document'],
    ['What does this do?', 'answer'],
    ['Explain the parser', 'answer'],
    ['How about you add a licence?', 'other'],
    ['Add a dark theme', 'other'],
  ])('%s: %s', (prompt, intent) => expect(intentOf(prompt)).toBe(intent));

  it('keeps the specific words', () => {
    expect(keywordsOf('Please add a dark theme to the settings page')).toEqual([
      'settings',
      'theme',
      'dark',
      'page',
    ]);
  });
});

describe('output of tools', () => {
  it('lists source files only', () => {
    const listing = '/repo/a.js\n/repo/node_modules/x/y.js\n\n(Results are truncated)';
    expect(filesOf(listing, relative)).toEqual(['a.js']);
    expect(filesOf('No files found', relative)).toEqual([]);
  });

  it('removes the frame of a file, and detects partial content', () => {
    const whole =
      '<path>x</path>\n<content>\n1: a\n2:   b\n\n(End of file - total 2 lines)\n</content>';
    expect(fileText(whole)).toEqual({ text: 'a\n  b', partial: false });
    expect(fileText(whole.replace('End of file', 'Showing lines'))?.partial).toBe(true);
    expect(fileText('something else')).toBeNull();
  });

  it('keeps one hit per file', () => {
    const output =
      'Found 3 matches\n/repo/a.js:\n  Line 3: x\n\n  Line 9: y\n\n/repo/b.js:\n  Line 1: z\n';
    expect(hitsOf(output, relative)).toEqual([
      { file: 'a.js', line: 3, text: 'x' },
      { file: 'b.js', line: 1, text: 'z' },
    ]);
  });
});

describe('test commands', () => {
  it.each([
    [['package.json'], { 'package.json': '{"scripts":{"test":"jest"}}' }, 'npm test'],
    [['package.json', 'test/a.js'], { 'package.json': '{}' }, 'node --test'],
    [['test_a.py'], {}, 'python3 -m pytest'],
    [['go.mod'], { 'go.mod': 'module x' }, 'go test ./...'],
    [['Cargo.toml'], { 'Cargo.toml': '' }, 'cargo test'],
    [['Makefile'], { Makefile: 'all:\ntest: all\n' }, 'make test'],
  ])('%j', (files, manifests, command) =>
    expect(findRunner(files, texts(manifests))?.command).toBe(command),
  );

  it('finds none without tests or with a broken manifest', () => {
    const placeholder = '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}';
    expect(findRunner(['package.json'], texts({ 'package.json': placeholder }))).toBeNull();
    expect(findRunner(['package.json'], texts({ 'package.json': '{' }))).toBeNull();
    expect(findRunner([], texts({}))).toBeNull();
  });

  it('falls back to unittest', () => {
    const runner = { command: 'python3 -m pytest', language: 'python' } as const;
    expect(fallbackRunner(runner, 'No module named pytest')?.command).toBe('python3 -m unittest');
    expect(fallbackRunner(runner, '1 passed')).toBeNull();
  });
});

describe('output of test runs', () => {
  it.each([
    [
      'spec',
      '✖ a title (1.2ms)\nℹ pass 6\nℹ fail 1\n✖ failing tests:\ntest at test/a.test.js:11:1\n✖ a title (1.2ms)\n  2 !== 3\nexit code 1',
      { title: 'a title', file: 'test/a.test.js', hint: { direction: 'grow', byOne: true } },
    ],
    [
      'TAP',
      "not ok 2 - a title\n  location: '/repo/test/a.test.js:11:1'\n    9 !== 3\n# pass 6\n# fail 1\nexit code 1",
      {
        title: 'a title',
        file: '/repo/test/a.test.js',
        hint: { direction: 'shrink', byOne: false },
      },
    ],
    [
      'pytest',
      'E       assert True == False\nFAILED tests/test_a.py::test_x - assert\n1 failed in 0.1s\nexit code 1',
      { title: 'test_x', file: 'tests/test_a.py', hint: { direction: 'flip', byOne: false } },
    ],
    [
      'pytest with classes',
      'E       AssertionError: 5 != 6\nFAILED test_a.py::TestA::test_x\nexit code 1',
      { title: 'test_x', file: 'test_a.py', hint: { direction: 'grow', byOne: true } },
    ],
    [
      'unittest',
      'FAIL: test_x (test_a.TestA.test_x)\n  File "/repo/test_a.py", line 7, in test_x\nAssertionError: Lists differ: [1] != [1, 2]\nexit code 1',
      { title: 'test_x', file: '/repo/test_a.py', hint: { direction: 'grow', byOne: true } },
    ],
  ])('%s', (_, output, failing) => {
    expect(parseTestOutput(output)).toMatchObject({ status: 'failed', failing: [failing] });
  });

  it('distinguishes a missing runner from failing tests', () => {
    expect(parseTestOutput('sh: 1: jest: not found\nexit code 127').status).toBe('unavailable');
    expect(parseTestOutput('Cannot find module "x"\nexit code 1').status).toBe('unavailable');
    expect(parseTestOutput('something failed\nexit code 2').status).toBe('failed');
    expect(parseTestOutput('it was cut off').status).toBe('unavailable');
    expect(parseTestOutput('Cannot find module\nexit code 0').status).toBe('passed');
  });
});

describe('candidate fixes', () => {
  it('follows the imports of a test', () => {
    const files = ['src/a.js', 'src/b/index.js', 'test/a.test.js', 'lib/c.py'];
    const source =
      "import { a } from '../src/a.js';\nconst b = require('../src/b');\nimport 'node:test';";
    expect(importedFiles('test/a.test.js', source, files)).toEqual(['src/a.js', 'src/b/index.js']);
    expect(importedFiles('test_c.py', 'import os\nfrom c import x', files)).toEqual(['lib/c.py']);
  });

  it('takes the calls of the failing test only', () => {
    const source = "test('one', () => {\n  first();\n});\ntest('two', () => {\n  second();\n});";
    expect([...calledNames(source, 'two')]).toEqual(['second']);
    expect([...calledNames(source, 'unknown')]).toContain('first');
  });

  it('resolves a path to a listed file', () => {
    expect(listedFile('/somewhere/test/a.js', ['test/a.js'])).toBe('test/a.js');
    expect(listedFile('a.js', ['test/a.js'])).toBe('test/a.js');
    expect(listedFile('other.js', ['test/a.js'])).toBeNull();
  });

  it('ranks fixes that match the failure first', () => {
    const source = 'function a(n) {\n  return n > 1;\n}\nfunction b(n) {\n  return n - 1;\n}\n';
    const grow = { direction: 'grow', byOne: true } as const;
    const [first] = candidatesFor('x.js', source, new Set(['b']), grow);
    expect(first).toMatchObject({ line: 5, oldLine: 'return n - 1;', newLine: 'return n;' });
  });

  it('includes enough lines for a unique edit', () => {
    const source = 'a\nreturn x < 1;\nb\nreturn x < 1;\n';
    const last = candidatesFor('x.js', source, new Set(), noHint).find(({ line }) => line === 4);
    expect(last?.before).toBe('b\nreturn x < 1;');
    expect(last?.after).toBe('b\nreturn x <= 1;');
  });

  it('distinguishes operators from arrows, types and comments', () => {
    const source = '// a < b\nconst f = (x) => x;\nlet y: Map<string, number>;\n';
    expect(candidatesFor('x.ts', source, new Set(), noHint)).toEqual([]);
  });
});
