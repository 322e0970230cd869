import { readFileSync } from 'node:fs';

export interface Count {
  passed: number;
  failed: number;
}

export function readVitestCount(file: string): Count {
  return readReport(file, (report: { numPassedTests: number; numFailedTests: number }) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
  }));
}

/** A flaky test counts as failed: a test that needs a second try proves nothing. */
export function readPlaywrightCount(file: string): Count {
  return readReport(
    file,
    (report: { stats: { expected: number; unexpected: number; flaky: number } }) => ({
      passed: report.stats.expected,
      failed: report.stats.unexpected + report.stats.flaky,
    }),
  );
}

/** No report means that the runner died early; its exit code tells. */
function readReport(file: string, count: (report: never) => Count): Count {
  try {
    return count(JSON.parse(readFileSync(file, 'utf8')) as never);
  } catch {
    return { passed: 0, failed: 0 };
  }
}
