import { defineConfig } from '@playwright/test';

/** The page in Debian's own Chromium against a real `ship up`, which each worker starts for itself (see ship.ts). */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  outputDir: '../.cache/e2e',
  fullyParallel: true,
  workers: 2,
  // As for the suites that start processes (vitest.config.ts).
  retries: process.env.CI === undefined ? 0 : 1,
  // A busy machine takes minutes for what an idle one does in seconds.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json']],
  use: {
    launchOptions: {
      executablePath: '/usr/bin/chromium-headless-shell',
      // Root (a container, a fresh server) cannot use Chromium's own sandbox; the page under test is ours.
      args: ['--no-sandbox', '--disable-background-networking'],
    },
    trace: 'retain-on-failure',
  },
});
