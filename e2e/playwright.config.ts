import { defineConfig } from '@playwright/test';
import { workersOf } from '../scripts/test/workers.ts';

/** Started last, one of these would keep the whole run waiting while the other workers have nothing left to do. */
const FIRST_TESTS = ['turns', 'review', 'session', 'preview'].map((name) => `**/${name}.e2e.ts`);

/** A run without file names must not take the files of the other browser suite. */
const IS_LONG = process.env['SHIP_TEST_SUITE'] === 'browser-long';
const TESTS = IS_LONG ? '**/*.long.e2e.ts' : /^(?!.*\.long\.e2e\.ts$).*\.e2e\.ts$/;
const FIRST = IS_LONG ? [] : FIRST_TESTS;

/** The web app in Debian's own Chromium against a real `ship up`, which each worker starts for itself (see ship.ts). */
export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/e2e',
  fullyParallel: true,
  workers: workersOf('browser'),
  projects: [
    { name: 'first', testMatch: FIRST },
    { name: 'rest', testMatch: TESTS, testIgnore: FIRST },
  ],
  // A test that passes only sometimes has failed: a retry would hide it.
  retries: 0,
  // A busy machine takes minutes for what an idle one does in seconds.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['../scripts/test/playwright-reporter.ts']],
  use: {
    launchOptions: {
      executablePath: '/usr/bin/chromium-headless-shell',
      // Root (a container, a fresh server) cannot use Chromium's own sandbox; the page under test is ours.
      args: ['--no-sandbox', '--disable-background-networking'],
    },
    // A trace of every step takes a third of the suite's processor time. A failure leaves a picture and the page's
    // accessibility tree; SHIP_TEST_TRACE=1 records the steps too.
    trace: process.env['SHIP_TEST_TRACE'] === undefined ? 'off' : 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
});
