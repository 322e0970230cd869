/** vitest's reporter for `npm test`: writes a report that does not depend on the runner (report.ts). */
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { ROOT } from '../steps.ts';
import { type FileReport, type TestReport, errorOf, saveReport } from './report.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Written by vitest-timings.ts inside the worker. */
    cpuMs?: number;
  }
}

function testReport(test: TestCase): TestReport {
  const { state, errors } = test.result();
  return {
    name: test.fullName,
    state: state === 'pending' ? 'skipped' : state,
    wallMs: test.diagnostic()?.duration ?? 0,
    cpuMs: test.meta().cpuMs ?? null,
    ...errorOf(errors),
  };
}

function fileReport(module: TestModule): FileReport {
  const spent = module.diagnostic();
  const tests = [...module.children.allTests()].map(testReport);
  const testsMs = tests.reduce((sum, { wallMs }) => sum + wallMs, 0);
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration } = spent;
  return {
    file: relative(ROOT, module.moduleId),
    failed: !module.ok(),
    setupMs:
      environmentSetupDuration +
      prepareDuration +
      setupDuration +
      collectDuration +
      // The module's duration has beforeAll and afterAll too; that of concurrent tests is less than their sum.
      Math.max(0, spent.duration - testsMs),
    testsMs,
    cpuMs: module.meta().cpuMs ?? null,
    ...errorOf(module.errors()),
    tests,
  };
}

export default class ShipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    saveReport({ files: modules.map(fileReport) });
  }
}
