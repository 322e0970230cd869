import { defineConfig } from '@playwright/test';
import { workersOf } from '../scripts/test/workers.ts';

/** Started last, one of these would keep the whole run waiting while the other workers have nothing left to do. */
const LONG = ['editor', 'turns', 'review', 'session', 'preview'].map((name) => `**/${name}.e2e.ts`);

/** The web app in Debian's own Chromium against a real `ship up`, which each worker starts for itself (see ship.ts). */
export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/e2e',
  fullyParallel: true,
  workers: workersOf('browser'),
  projects: [
    { name: 'long', testMatch: LONG },
    { name: 'short', testMatch: '**/*.e2e.ts', testIgnore: LONG },
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
