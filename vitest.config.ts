import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          // A loaded machine is slow, not wrong: what hangs is still noticed.
          testTimeout: 30_000,
          hookTimeout: 60_000,
          include: ['{apps,packages,scripts,bench}/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.workerd.test.ts'],
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './apps/control-plane/wrangler.jsonc' },
            miniflare: { cf: false, bindings: { SECRETS_KEYS: '0123456789abcdef'.repeat(4) } },
          }),
        ],
        test: {
          name: 'workerd',
          testTimeout: 30_000,
          include: ['apps/control-plane/**/*.workerd.test.ts'],
        },
      },
    ],
  },
});
