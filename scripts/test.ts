/**
 * `npm test`: static checks, unit tests, objects in real workerd, the page in real Chromium.
 * Arguments select test files by name: `npm test -- evolve`.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from './check.ts';
import { type Step, ROOT, runSteps, tool } from './steps.ts';
import { readPlaywrightCount, readVitestCount } from './test-counts.ts';

const REPORTS = join(ROOT, '.cache', 'reports');
const VITEST_REPORT = join(REPORTS, 'vitest.json');
const PLAYWRIGHT_REPORT = join(REPORTS, 'playwright.json');

rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

const filter = process.argv.slice(2);
const suites: Step[] = [
  {
    name: 'units and objects',
    ...tool(
      'vitest',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${VITEST_REPORT}`,
      '--passWithNoTests',
      ...filter,
    ),
    // Miniflare would write its settings into the home folder and look for updates.
    env: { XDG_CONFIG_HOME: join(ROOT, '.cache', 'config'), WRANGLER_SEND_METRICS: 'false' },
  },
  {
    name: 'page in Chromium',
    ...tool(
      'playwright',
      'test',
      '--config',
      'e2e/playwright.config.ts',
      '--pass-with-no-tests',
      ...filter,
    ),
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: PLAYWRIGHT_REPORT },
  },
];

const failedChecks = filter.length > 0 ? [] : await runSteps(CHECKS, { quiet: true });
const failedSuites = await runSteps(suites, { quiet: false });
const failed = [...failedChecks, ...failedSuites];

const checks = {
  passed: filter.length > 0 ? 0 : CHECKS.length - failedChecks.length,
  failed: failedChecks.length,
  unsteady: [],
};
const counts = [checks, readVitestCount(VITEST_REPORT), readPlaywrightCount(PLAYWRIGHT_REPORT)];
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
// A suite that died before it could report still counts as failed.
const failures = Math.max(
  failed.length,
  counts.reduce((sum, count) => sum + count.failed, 0),
);
for (const name of counts.flatMap(({ unsteady }) => unsteady))
  process.stdout.write(`\nneeded a second try: ${name}`);
if (failed.length > 0) process.stdout.write(`\nfailed: ${failed.join(', ')}\n`);
process.stdout.write(`\n${passed} passed, ${failures} failed\n`);
process.exitCode = failures === 0 ? 0 : 1;
