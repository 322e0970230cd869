/** One format for the reports of all runners: the reporters write it, `npm test` and `npm run fuzz` read it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../steps.ts';

const TestReport = z.object({
  name: z.string(),
  state: z.enum(['passed', 'failed', 'skipped']),
  /** With its own hooks and fixtures. */
  wallMs: z.number(),
  /** Null when it was not measured. */
  cpuMs: z.number().nullable(),
  /** Of a failed test: the first lines of its assertion or error. */
  error: z.string().optional(),
});

const FileReport = z.object({
  file: z.string(),
  failed: z.boolean(),
  /** Imports with their transformation, environment, hooks and fixtures. */
  setupMs: z.number(),
  testsMs: z.number(),
  cpuMs: z.number().nullable(),
  /** Of a file that failed outside of its tests: an import or a hook. */
  error: z.string().optional(),
  tests: z.array(TestReport),
});

const SuiteReport = z.object({ files: z.array(FileReport) });

export type TestReport = z.infer<typeof TestReport>;
export type FileReport = z.infer<typeof FileReport>;
export type SuiteReport = z.infer<typeof SuiteReport>;

export const REPORTS = join(ROOT, '.cache', 'reports');
/** The runner starts the reporters as part of another program; the variable is the way to reach them. */
const REPORT_VARIABLE = 'SHIP_TEST_REPORT';
const NOTHING: SuiteReport = { files: [] };

const ERROR_LINES = 12;
const ESCAPES = new RegExp(String.raw`\u001b\[[0-9;]*m`, 'g');

/** The closing lines of a run are often all that is kept of it: without the reason there, a failure cannot be investigated. */
export function errorOf(errors: readonly { message?: string | undefined }[] | undefined): {
  error?: string;
} {
  const text = errors?.map(({ message = '' }) => message).find((message) => message !== '');
  if (text === undefined) return {};
  return { error: text.replaceAll(ESCAPES, '').split('\n').slice(0, ERROR_LINES).join('\n') };
}

export const reportTo = (file: string): Record<string, string> => ({ [REPORT_VARIABLE]: file });

export function saveReport(report: SuiteReport): void {
  const file = process.env[REPORT_VARIABLE];
  if (file === undefined) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(report));
}

/** No report means that the runner died early; its exit code tells. */
export function readReport(file: string): SuiteReport {
  try {
    return SuiteReport.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return NOTHING;
  }
}

export interface Count {
  passed: number;
  failed: number;
}

export function countTests({ files }: SuiteReport): Count {
  const count = { passed: 0, failed: 0 };
  for (const { failed, tests } of files) {
    count.passed += tests.filter(({ state }) => state === 'passed').length;
    const failures = tests.filter(({ state }) => state === 'failed').length;
    // A file that cannot be imported, or whose hook fails, has no failed test.
    count.failed += failed ? Math.max(1, failures) : failures;
  }
  return count;
}

export const sumCounts = (counts: readonly Count[]): Count => ({
  passed: counts.reduce((sum, { passed }) => sum + passed, 0),
  failed: counts.reduce((sum, { failed }) => sum + failed, 0),
});
