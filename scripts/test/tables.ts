/** The texts at the end of a test run: the slowest and the failed tests, and with --timings where the time went. */
import type { SuiteReport } from './report.ts';

export interface StepTimes {
  name: string;
  wallMs: number;
  cpuMs: number;
}

interface SuiteTimes extends StepTimes {
  report: SuiteReport;
}

const SLOWEST = 10;
const TOP_FILES = 20;
const TOP_TESTS = 20;

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const optionalSeconds = (ms: number | null): string => (ms === null ? '–' : seconds(ms));
/** Children on another core can use more processor time than the clock shows. */
const waitingMs = (wallMs: number, cpuMs: number | null): number | null =>
  cpuMs === null ? null : Math.max(0, wallMs - cpuMs);
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

interface NamedTest {
  name: string;
  wallMs: number;
  cpuMs: number | null;
}

function testsOf(reports: readonly SuiteReport[]): NamedTest[] {
  const tests = reports.flatMap(({ files }) =>
    files.flatMap((file) =>
      file.tests
        .filter(({ state }) => state !== 'skipped')
        .map(({ name, wallMs, cpuMs }) => ({ name: `${file.file} > ${name}`, wallMs, cpuMs })),
    ),
  );
  return tests.sort((a, b) => b.wallMs - a.wallMs);
}

export function slowestTests(reports: readonly SuiteReport[]): string[] {
  const tests = testsOf(reports).slice(0, SLOWEST);
  if (tests.length === 0) return [];
  const rows = tests.map(({ name, wallMs }) => [`${(wallMs / 1000).toFixed(2)} s`, name]);
  return ['slowest tests', ...aligned(rows)];
}

/** Every failed test with its reason; a file that failed outside of its tests counts as one. */
export function failedTests(reports: readonly SuiteReport[]): string[] {
  const failures = reports.flatMap(({ files }) =>
    files.flatMap((file) => {
      const tests = file.tests.filter(({ state }) => state === 'failed');
      if (tests.length === 0) return file.failed ? [{ name: file.file, error: file.error }] : [];
      return tests.map(({ name, error }) => ({ name: `${file.file} > ${name}`, error }));
    }),
  );
  if (failures.length === 0) return [];
  const lines = failures.flatMap(({ name, error = '' }) => [
    `  ${name}`,
    ...error.split('\n').map((line) => `      ${line}`.trimEnd()),
  ]);
  return ['failed tests', ...lines.filter((line) => line !== '')];
}

export interface Timings {
  /** Set-up and static checks. */
  steps: readonly StepTimes[];
  suites: readonly SuiteTimes[];
  /** From the start of the command to its end. */
  wallMs: number;
}

export function timingTables({ steps, suites, wallMs }: Timings): string[] {
  return [
    `where the time went, in seconds (${seconds(wallMs)} in all)`,
    '',
    ...aligned([
      ['wall', 'set-up', 'tests', 'processor', 'waiting', ''],
      ...steps.map(stepRow),
      ...suites.map(suiteRow),
    ]),
    '',
    ...fileTable(suites),
    ...testTable(suites),
    ...LEGEND,
  ];
}

const LEGEND = [
  'wall       from the start to the end by the clock; steps may overlap',
  'set-up     imports with their transformation, environment, beforeAll and afterAll; in the browser suite all hooks and fixtures',
  'tests      the tests themselves, with their beforeEach and afterEach; both columns add up files that run side by side',
  'processor  processor time of the program and of all the processes that it starts, from /proc',
  'waiting    set-up and tests (of a step: wall) less processor; a busy machine makes it longer',
  'A suite has more processor time than its files: the runner, transformation, and processes whose parent was killed or that ended between files.',
  '– is not measured: code inside workerd cannot see its process.',
];

const stepRow = ({ name, wallMs, cpuMs }: StepTimes): string[] => [
  seconds(wallMs),
  '',
  '',
  seconds(cpuMs),
  optionalSeconds(waitingMs(wallMs, cpuMs)),
  name,
];

function suiteRow({ name, wallMs, cpuMs, report: { files } }: SuiteTimes): string[] {
  const setupMs = sum(files.map((file) => file.setupMs));
  const testsMs = sum(files.map((file) => file.testsMs));
  const waiting = optionalSeconds(waitingMs(setupMs + testsMs, cpuMs));
  const title = `${name} (${files.length} files, ${sum(files.map(({ tests }) => tests.length))} tests)`;
  return [seconds(wallMs), seconds(setupMs), seconds(testsMs), seconds(cpuMs), waiting, title];
}

function fileTable(suites: readonly SuiteTimes[]): string[] {
  const files = suites
    .flatMap(({ report }) => report.files)
    .map((file) => ({ ...file, wallMs: file.setupMs + file.testsMs }))
    .sort((a, b) => b.wallMs - a.wallMs);
  if (files.length === 0) return [];
  const rows = files
    .slice(0, TOP_FILES)
    .map(({ file, wallMs, setupMs, testsMs, cpuMs }) => [
      seconds(wallMs),
      seconds(setupMs),
      seconds(testsMs),
      optionalSeconds(cpuMs),
      optionalSeconds(waitingMs(wallMs, cpuMs)),
      file,
    ]);
  const head = ['file', 'set-up', 'tests', 'processor', 'waiting', 'slowest files'];
  return [...aligned([head, ...rows]), ''];
}

function testTable(suites: readonly SuiteTimes[]): string[] {
  const tests = testsOf(suites.map(({ report }) => report)).slice(0, TOP_TESTS);
  if (tests.length === 0) return [];
  const rows = tests.map(({ name, wallMs, cpuMs }) => [
    seconds(wallMs),
    optionalSeconds(cpuMs),
    optionalSeconds(waitingMs(wallMs, cpuMs)),
    name,
  ]);
  return [...aligned([['test', 'processor', 'waiting', 'slowest tests'], ...rows]), ''];
}

/** Figures are aligned to the right; the last column is text. */
function aligned(rows: readonly string[][]): string[] {
  const text = (rows[0]?.length ?? 0) - 1;
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (column === text ? cell : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .replace(/^/, '  ')
      .trimEnd(),
  );
}
