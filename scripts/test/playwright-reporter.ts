/** Playwright's reporter for `npm test`: writes a report that does not depend on the runner (report.ts). */
import { relative } from 'node:path';
import type { Reporter, Suite, TestCase, TestStep } from '@playwright/test/reporter';
import { ROOT } from '../steps.ts';
import { SETUP_PROCESSOR_TIME, TEST_PROCESSOR_TIME } from './playwright-timings.ts';
import { type FileReport, type TestReport, errorOf, saveReport } from './report.ts';

const STATES = {
  expected: 'passed',
  skipped: 'skipped',
  unexpected: 'failed',
  // Retries are off: a test that passes only sometimes has failed.
  flaky: 'failed',
} as const;

export default class ShipReporter implements Reporter {
  #root: Suite | undefined;

  onBegin(_config: unknown, root: Suite): void {
    this.#root = root;
  }

  onEnd(): void {
    const files = new Map<string, FileReport>();
    for (const test of this.#root?.allTests() ?? []) addTest(files, test);
    saveReport({ files: [...files.values()] });
  }

  printsToStdio(): boolean {
    return false;
  }
}

function addTest(files: Map<string, FileReport>, test: TestCase): void {
  const path = relative(ROOT, test.location.file);
  const empty = { file: path, failed: false, setupMs: 0, testsMs: 0, cpuMs: null, tests: [] };
  const file: FileReport = files.get(path) ?? empty;
  const one = testReport(test);
  for (const { setupMs, testMs } of test.results.map(split)) {
    file.setupMs += setupMs;
    file.testsMs += testMs;
  }
  if (one.cpuMs !== null)
    file.cpuMs = (file.cpuMs ?? 0) + one.cpuMs + (annotated(test, SETUP_PROCESSOR_TIME) ?? 0);
  file.failed ||= one.state === 'failed';
  file.tests.push(one);
  files.set(path, file);
}

/** The duration of a result leaves out fixtures that tests share: the test is what is between the hooks. */
export function split({
  duration,
  steps,
}: {
  duration: number;
  steps: readonly Pick<TestStep, 'category' | 'startTime' | 'duration'>[];
}): {
  setupMs: number;
  testMs: number;
} {
  const hooks = steps.filter(({ category }) => category === 'hook');
  const [before, after] = hooks;
  const setupMs = hooks.reduce((sum, hook) => sum + Math.max(0, hook.duration), 0);
  if (before === undefined || after === undefined) return { setupMs, testMs: duration };
  const startMs = before.startTime.getTime() + before.duration;
  return { setupMs, testMs: Math.max(0, after.startTime.getTime() - startMs) };
}

function testReport(test: TestCase): TestReport {
  return {
    // The first names are of the root, the project and the file.
    name: test.titlePath().slice(3).join(' > '),
    state: STATES[test.outcome()],
    wallMs: test.results.reduce((sum, { duration }) => sum + duration, 0),
    cpuMs: annotated(test, TEST_PROCESSOR_TIME),
    ...errorOf(test.results.flatMap(({ errors }) => errors)),
  };
}

function annotated(test: TestCase, name: string): number | null {
  const text = test.results
    .flatMap(({ annotations }) => annotations)
    .find(({ type }) => type === name)?.description;
  return text === undefined ? null : Number(text);
}
