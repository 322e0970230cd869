import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** workerd's disk service wants a folder that exists; each test keeps to a key of its own and deletes it. */
const TEST_ARTIFACTS = fileURLToPath(new URL('.cache/test-artifacts', import.meta.url));
mkdirSync(TEST_ARTIFACTS, { recursive: true });

/** A shared machine stalls for seconds now and then. What needed a second try is named at the end; by hand there is none. */
const SECOND_TRY = process.env.CI === undefined ? 0 : 1;

const NODE = {
  // A loaded machine is slow, not wrong: what hangs is still noticed.
  testTimeout: 30_000,
  hookTimeout: 60_000,
  exclude: ['**/node_modules/**', '**/dist/**', '**/*.workerd.test.ts'],
};

export default defineConfig({
  test: {
    // Suites that start real processes mostly wait for them; more than two beside each other have failed for want of time.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'units',
          ...NODE,
          include: ['{apps,packages}/*/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          // Otherwise a stylesheet is empty, even for a test of its colours.
          css: { include: [/tokens\.css/] },
          // Pure code needs no process of its own for each of a hundred files.
          isolate: false,
        },
      },
      {
        test: {
          name: 'processes',
          ...NODE,
          retry: SECOND_TRY,
          include: ['apps/*/*.test.ts', 'apps/*/test/**/*.test.ts'],
          // Loading the SDKs anew for each file took a tenth of the whole run; what a file starts is a process anyway.
          isolate: false,
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './apps/control-plane/wrangler.jsonc' },
            miniflare: {
              cf: false,
              bindings: { SECRETS_KEYS: '0123456789abcdef'.repeat(4) },
              serviceBindings: {
                ARTIFACTS_ON_DISK: { disk: { path: TEST_ARTIFACTS, writable: true } },
              },
            },
          }),
        ],
        test: {
          name: 'workerd',
          testTimeout: 30_000,
          retry: SECOND_TRY,
          include: ['apps/control-plane/**/*.workerd.test.ts'],
        },
      },
    ],
  },
});
