import { describe, expect, it } from 'vitest';
import { intentOf, keywordsOf } from './intent.ts';
import { candidatesFor } from './mend/candidates.ts';
import { calledNames, importedFiles, listedFile } from './mend/suspects.ts';
import { readOutcome } from './outcome.ts';
import { fileText, filesOf, hitsOf } from './reading.ts';
import { fallbackRunner, findRunner } from './runner.ts';

const relative = (path: string): string => path.replace('/repo/', '');
const texts = (entries: Record<string, string>) => new Map(Object.entries(entries));
const noHint = { direction: null, byOne: false } as const;

describe('what a prompt wants', () => {
  it.each([
    ['Fix the failing test', 'mend'],
    ['The total is wrong', 'mend'],
    ['Update the README', 'document'],
    ['What does this do?', 'answer'],
    ['Explain the parser', 'answer'],
    ['How about you add a licence?', 'other'],
    ['Add a dark theme', 'other'],
  ])('%s: %s', (prompt, intent) => expect(intentOf(prompt)).toBe(intent));

  it('keeps the telling words', () => {
    expect(keywordsOf('Please add a dark theme to the settings page')).toEqual([
      'settings',
      'theme',
      'dark',
      'page',
    ]);
  });
});

describe('what the tools print', () => {
  it('lists files without what is not source', () => {
    const listing = '/repo/a.js\n/repo/node_modules/x/y.js\n\n(Results are truncated)';
    expect(filesOf(listing, relative)).toEqual(['a.js']);
    expect(filesOf('No files found', relative)).toEqual([]);
  });

  it('unframes a file, and knows when it is only a part', () => {
    const whole =
      '<path>x</path>\n<content>\n1: a\n2:   b\n\n(End of file - total 2 lines)\n</content>';
    expect(fileText(whole)).toEqual({ text: 'a\n  b', partial: false });
    expect(fileText(whole.replace('End of file', 'Showing lines'))?.partial).toBe(true);
    expect(fileText('something else')).toBeNull();
  });

  it('takes one hit for each file', () => {
    const output =
      'Found 3 matches\n/repo/a.js:\n  Line 3: x\n\n  Line 9: y\n\n/repo/b.js:\n  Line 1: z\n';
    expect(hitsOf(output, relative)).toEqual([
      { file: 'a.js', line: 3, text: 'x' },
      { file: 'b.js', line: 1, text: 'z' },
    ]);
  });
});

describe('how tests are run', () => {
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

  it('finds none where there is none, or where the manifest is broken', () => {
    const placeholder = '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}';
    expect(findRunner(['package.json'], texts({ 'package.json': placeholder }))).toBeNull();
    expect(findRunner(['package.json'], texts({ 'package.json': '{' }))).toBeNull();
    expect(findRunner([], texts({}))).toBeNull();
  });

  it('falls back to the runner that Python brings', () => {
    const runner = { command: 'python3 -m pytest', language: 'python' } as const;
    expect(fallbackRunner(runner, 'No module named pytest')?.command).toBe('python3 -m unittest');
    expect(fallbackRunner(runner, '1 passed')).toBeNull();
  });
});

describe('what a test run says', () => {
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
    expect(readOutcome(output)).toMatchObject({ status: 'failed', failing: [failing] });
  });

  it('tells a runner that is not there from tests that fail', () => {
    expect(readOutcome('sh: 1: jest: not found\nexit code 127').status).toBe('unavailable');
    expect(readOutcome('Cannot find module "x"\nexit code 1').status).toBe('unavailable');
    expect(readOutcome('something failed\nexit code 2').status).toBe('failed');
    expect(readOutcome('it was cut off').status).toBe('unavailable');
    expect(readOutcome('Cannot find module\nexit code 0').status).toBe('passed');
  });
});

describe('where the mistake may be', () => {
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

  it('finds the listed file that a path means', () => {
    expect(listedFile('/somewhere/test/a.js', ['test/a.js'])).toBe('test/a.js');
    expect(listedFile('a.js', ['test/a.js'])).toBe('test/a.js');
    expect(listedFile('other.js', ['test/a.js'])).toBeNull();
  });

  it('ranks what fits the failure first', () => {
    const source = 'function a(n) {\n  return n > 1;\n}\nfunction b(n) {\n  return n - 1;\n}\n';
    const grow = { direction: 'grow', byOne: true } as const;
    const [first] = candidatesFor('x.js', source, new Set(['b']), grow);
    expect(first).toMatchObject({ line: 5, oldLine: 'return n - 1;', newLine: 'return n;' });
  });

  it('gives the edit enough lines to be unique', () => {
    const source = 'a\nreturn x < 1;\nb\nreturn x < 1;\n';
    const last = candidatesFor('x.js', source, new Set(), noHint).find(({ line }) => line === 4);
    expect(last?.before).toBe('b\nreturn x < 1;');
    expect(last?.after).toBe('b\nreturn x <= 1;');
  });

  it('knows operators from arrows, types and comments', () => {
    const source = '// a < b\nconst f = (x) => x;\nlet y: Map<string, number>;\n';
    expect(candidatesFor('x.ts', source, new Set(), noHint)).toEqual([]);
  });
});
