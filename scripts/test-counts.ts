import { readFileSync } from 'node:fs';

export interface Count {
  passed: number;
  failed: number;
  /** What passed only at its second try: to be mended, not to be forgotten. */
  unsteady: string[];
}

const NOTHING: Count = { passed: 0, failed: 0, unsteady: [] };

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

export function readVitestCount(file: string): Count {
  return readReport(file, ({ numPassedTests, numFailedTests, testResults }: VitestReport) => ({
    passed: numPassedTests,
    failed: numFailedTests,
    unsteady: testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(({ fullName }) => fullName),
  }));
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number };
}

export function readPlaywrightCount(file: string): Count {
  return readReport(file, ({ stats }: PlaywrightReport) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    unsteady: stats.flaky === 0 ? [] : [`${stats.flaky} in Chromium (marked flaky above)`],
  }));
}

/** No report means that the runner died early; its exit code tells. */
function readReport(file: string, count: (report: never) => Count): Count {
  try {
    return count(JSON.parse(readFileSync(file, 'utf8')) as never);
  } catch {
    return NOTHING;
  }
}
