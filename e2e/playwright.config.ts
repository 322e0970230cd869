import { defineConfig } from '@playwright/test';
import { workersOf } from '../scripts/test/workers.ts';

/** The longest tests: started last, one of them would delay the end of the run while the other workers are idle. */
const FIRST_TESTS = ['turns', 'review', 'session', 'preview'].map((name) => `**/${name}.e2e.ts`);

/** A run without file names must not include the files of the other browser suite. */
const IS_LONG = process.env['SHIP_TEST_SUITE'] === 'browser-long';
const TESTS = IS_LONG ? '**/*.long.e2e.ts' : /^(?!.*\.long\.e2e\.ts$).*\.e2e\.ts$/;
const FIRST = IS_LONG ? [] : FIRST_TESTS;

/** Tests the web app in Debian's Chromium against a real `ship up`, one per worker (see ship.ts). */
export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/e2e',
  fullyParallel: true,
  workers: workersOf('browser'),
  projects: [
    { name: 'first', testMatch: FIRST },
    { name: 'rest', testMatch: TESTS, testIgnore: FIRST },
  ],
  // A flaky test is a failure; retries would hide it.
  retries: 0,
  // A busy machine takes minutes for what takes seconds on an idle one.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['../scripts/test/playwright-reporter.ts']],
  use: {
    launchOptions: {
      executablePath: '/usr/bin/chromium-headless-shell',
      // Chromium's sandbox does not work as root (a container, a fresh server); the tested page is ours.
      args: ['--no-sandbox', '--disable-background-networking'],
    },
    // A full trace takes a third of the suite's processor time. A failure leaves a screenshot and the page's accessibility tree;
    // SHIP_TEST_TRACE=1 records traces too.
    trace: process.env['SHIP_TEST_TRACE'] === undefined ? 'off' : 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
});
