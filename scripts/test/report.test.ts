import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  type FileReport,
  type TestReport,
  countTests,
  errorOf,
  readReport,
  sumCounts,
} from './report.ts';

const test = (state: TestReport['state']): TestReport => ({
  name: 't',
  state,
  wallMs: 1,
  cpuMs: null,
});
const file = (failed: boolean, ...tests: TestReport[]): FileReport => ({
  file: 'a.test.ts',
  failed,
  setupMs: 0,
  testsMs: 0,
  cpuMs: null,
  tests,
});

it('counts passed and failed tests, and leaves out skipped ones', () => {
  const files = [
    file(true, test('passed'), test('failed'), test('failed')),
    file(false, test('skipped')),
  ];
  expect(countTests({ files })).toEqual({ passed: 1, failed: 2 });
});

it('counts a file that failed before its tests as one failure', () => {
  expect(countTests({ files: [file(true)] })).toEqual({ passed: 0, failed: 1 });
  expect(countTests({ files: [file(true, test('passed'))] })).toEqual({ passed: 1, failed: 1 });
});

it('adds up suites', () => {
  expect(
    sumCounts([
      { passed: 1, failed: 2 },
      { passed: 3, failed: 0 },
    ]),
  ).toEqual({
    passed: 4,
    failed: 2,
  });
});

it.each([undefined, '', '{"files": [', '{"files": [{"file": 7}]}'])(
  'reads %j as no tests',
  (text) => {
    const folder = mkdtempSync(join(tmpdir(), 'ship-report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'report.json');
    if (text !== undefined) writeFileSync(path, text);
    expect(readReport(path)).toEqual({ files: [] });
  },
);

it('keeps the first lines of an error, without colours', () => {
  const message = `\u001b[31mexpected 1\u001b[39m to be 2\n${'line\n'.repeat(50)}`;
  const { error = '' } = errorOf([{ message: '' }, { message }]);
  expect(error.split('\n')).toHaveLength(12);
  expect(error).toMatch(/^expected 1 to be 2\nline/);
  expect(errorOf([])).toEqual({});
});
