/** How each suite is started. */
import { join } from 'node:path';
import { type Step, ROOT, tool } from '../steps.ts';
import { REPORTS, reportTo } from './report.ts';
import type { Selection, SuiteName } from './suites.ts';

export const reportOf = (suite: SuiteName): string => join(REPORTS, `${suite}.json`);

interface RunContext {
  /** False when every file of the suite runs. */
  isNamed: boolean;
  timings: boolean;
  temporary: string;
}

export function suiteStep({ suite, files }: Selection, context: RunContext): Step {
  const paths = context.isNamed ? files.map((file) => join(ROOT, file)) : [];
  return {
    name: suite,
    ...(isBrowserSuite(suite) ? playwright(paths) : vitest(paths, '--reporter=default')),
    env: {
      ...reportTo(reportOf(suite)),
      SHIP_TEST_SUITE: suite,
      ...(context.timings ? { SHIP_TEST_TIMINGS: '1' } : {}),
      TMPDIR: context.temporary,
      // In TMPDIR it would be lost after each run.
      PWTEST_CACHE_DIR: join(ROOT, '.cache', 'playwright'),
      // Miniflare would write its settings into the home folder and look for updates.
      XDG_CONFIG_HOME: join(ROOT, '.cache', 'config'),
      WRANGLER_SEND_METRICS: 'false',
    },
  };
}

const isBrowserSuite = (suite: SuiteName): boolean =>
  suite === 'browser' || suite === 'browser-long';

export const vitest = (paths: readonly string[], ...options: string[]) =>
  tool('vitest', 'run', ...options, '--reporter=./scripts/test/vitest-reporter.ts', ...paths);

/** Playwright takes regular expressions. */
export const playwright = (paths: readonly string[], ...options: string[]) =>
  tool(
    'playwright',
    'test',
    '--config=e2e/playwright.config.ts',
    ...options,
    ...paths.map((path) => `${path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`),
  );
