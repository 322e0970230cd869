import { describe, expect, it } from 'vitest';
import type { FileReport, TestReport } from './report.ts';
import { failedTests, slowestTests, timingTables } from './tables.ts';

const test = (name: string, wallMs: number, rest: Partial<TestReport> = {}): TestReport => ({
  name,
  wallMs,
  state: 'passed',
  cpuMs: null,
  ...rest,
});
const file = (path: string, tests: TestReport[], rest: Partial<FileReport> = {}): FileReport => ({
  file: path,
  failed: false,
  setupMs: 0,
  testsMs: tests.reduce((sum, { wallMs }) => sum + wallMs, 0),
  cpuMs: null,
  tests,
  ...rest,
});

describe('the slowest tests', () => {
  it('are ten of all suites, the slowest first, failed ones too and skipped ones not', () => {
    const many = Array.from({ length: 12 }, (_, index) => test(`t${index}`, index * 1000));
    const lines = slowestTests([
      { files: [file('a.test.ts', many)] },
      {
        files: [
          file('b.e2e.ts', [
            test('fails', 20_000, { state: 'failed' }),
            test('skipped', 99_000, { state: 'skipped' }),
          ]),
        ],
      },
    ]);
    expect(lines).toHaveLength(11);
    expect(lines.slice(0, 3)).toEqual([
      'slowest tests',
      '  20.00 s  b.e2e.ts > fails',
      '  11.00 s  a.test.ts > t11',
    ]);
    expect(lines.at(-1)).toBe('   3.00 s  a.test.ts > t3');
  });

  it('say nothing when no test ran', () => expect(slowestTests([{ files: [] }])).toEqual([]));
});

describe('the failed tests', () => {
  it('are named with their reasons, and so is a file whose import or hook failed', () => {
    const lines = failedTests([
      {
        files: [
          file(
            'a.test.ts',
            [test('passes', 1), test('fails', 1, { state: 'failed', error: 'no\nyes' })],
            {
              failed: true,
            },
          ),
          file('b.test.ts', [], { failed: true, error: 'Cannot find module' }),
        ],
      },
    ]);
    expect(lines).toEqual([
      'failed tests',
      '  a.test.ts > fails',
      '      no',
      '      yes',
      '  b.test.ts',
      '      Cannot find module',
    ]);
  });

  it('say nothing when all passed', () =>
    expect(failedTests([{ files: [file('a.test.ts', [test('passes', 1)])] }])).toEqual([]));
});

describe('where the time went', () => {
  const lines = timingTables({
    wallMs: 65_432,
    steps: [{ name: 'lint', wallMs: 20_000, cpuMs: 15_000 }],
    suites: [
      {
        name: 'processes',
        wallMs: 30_000,
        cpuMs: 12_000,
        report: {
          files: [
            file('quick.test.ts', [test('q', 1_000)]),
            file('slow.test.ts', [test('s', 40_000, { cpuMs: 50_000 })], {
              setupMs: 4_000,
              cpuMs: 11_000,
            }),
          ],
        },
      },
    ],
  });
  const line = (end: string) =>
    lines
      .find((text) => text.endsWith(end))
      ?.trim()
      .split(/ {2,}/);

  it('has a row for each step: wall, processor, waiting', () => {
    expect(line('lint')).toEqual(['20.0', '15.0', '5.0', 'lint']);
    expect(lines[0]).toContain('65.4');
  });

  it('has a row for each suite, with set-up apart from tests and processor apart from waiting', () => {
    expect(line('(2 files, 2 tests)')).toEqual([
      '30.0',
      '4.0',
      '41.0',
      '12.0',
      '33.0',
      'processes (2 files, 2 tests)',
    ]);
  });

  it('has the slowest files first, and a dash for what was not measured', () => {
    expect(line('  slow.test.ts')).toEqual(['44.0', '4.0', '40.0', '11.0', '33.0', 'slow.test.ts']);
    expect(line('  quick.test.ts')).toEqual(['1.0', '0.0', '1.0', '–', '–', 'quick.test.ts']);
    const names = lines.map((text) => text.split('  ').at(-1));
    expect(names.indexOf('slow.test.ts')).toBeLessThan(names.indexOf('quick.test.ts'));
  });

  it('has the slowest tests, whose waiting is never negative', () => {
    expect(line('slow.test.ts > s')).toEqual(['40.0', '50.0', '0.0', 'slow.test.ts > s']);
  });

  it('explains each column', () => {
    for (const column of ['wall', 'set-up', 'tests', 'processor', 'waiting'])
      expect(lines.some((text) => text.startsWith(`${column} `))).toBe(true);
  });
});
