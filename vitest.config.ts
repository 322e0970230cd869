import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type TestProjectConfiguration, defineConfig } from 'vitest/config';
import { SUITE_FILES, type SuiteName } from './scripts/test/suites.ts';
import { workersOf } from './scripts/test/workers.ts';
import { LongestFirst } from './scripts/testing/longest-first.ts';

type VitestSuite = Exclude<SuiteName, 'browser' | 'browser-long'>;

/** `npm test` runs one suite at a time; by hand, or in an editor, all of them are there. */
const ONLY = process.env.SHIP_TEST_SUITE?.split(',');
const TIMINGS = process.env.SHIP_TEST_TIMINGS !== undefined;

const PROPERTY_SEED = './scripts/testing/property-seed.ts';
const provide = { propertySeed: Number(process.env.SHIP_FUZZ_SEED ?? 1) };

const NODE = {
  // A loaded machine is slow, not wrong: what hangs is still noticed.
  testTimeout: 30_000,
  hookTimeout: 60_000,
  setupFiles: [PROPERTY_SEED, ...(TIMINGS ? ['./scripts/test/vitest-timings.ts'] : [])],
};

const processes = (name: 'processes' | 'processes-long'): TestProjectConfiguration => ({
  test: {
    name,
    provide,
    ...NODE,
    ...SUITE_FILES[name],
    setupFiles: [...NODE.setupFiles, './scripts/testing/setup-file.ts'],
    // Only for what hangs: a machine that runs something else beside takes several times as long, and is not wrong.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Loading the SDKs again for each file took a tenth of the whole run; a file starts processes of its own anyway.
    isolate: false,
  },
});

const PROJECTS: Record<VitestSuite, () => Promise<TestProjectConfiguration>> = {
  units: async () => ({
    test: {
      name: 'units',
      provide,
      ...NODE,
      ...SUITE_FILES.units,
      // Otherwise a stylesheet is empty, even for a test of its colours.
      css: { include: [/tokens\.css/] },
      // Pure code needs no process of its own for each of a hundred files.
      isolate: false,
    },
  }),
  processes: async () => processes('processes'),
  'processes-long': async () => processes('processes-long'),
  workerd: async () => {
    // Takes a second, which a run of one unit test does not have.
    const { cloudflareTest } = await import('@cloudflare/vitest-plugin');
    return {
      plugins: [
        cloudflareTest({
          wrangler: { configPath: './apps/control-plane/wrangler.jsonc' },
          miniflare: {
            cf: false,
            bindings: { SECRETS_KEYS: '0123456789abcdef'.repeat(4) },
            serviceBindings: {
              ARTIFACTS_ON_DISK: { disk: { path: artifactsFolder(), writable: true } },
            },
          },
        }),
      ],
      test: {
        name: 'workerd',
        testTimeout: 30_000,
        provide,
        setupFiles: [PROPERTY_SEED],
        ...SUITE_FILES.workerd,
        // Compiling the Worker again for each file took four fifths of the time. Storage is shared by the files of one
        // workerd: each test uses its own session, workspace and key.
        isolate: false,
      },
    };
  },
};

/** workerd's disk service wants a folder that exists; each test keeps to a key of its own and deletes it. */
function artifactsFolder(): string {
  const folder = fileURLToPath(new URL('.cache/test-artifacts', import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder;
}

const selected = (['units', 'processes', 'processes-long', 'workerd'] as const).filter(
  (suite) => ONLY === undefined || ONLY.includes(suite),
);

export default defineConfig(async () => ({
  test: {
    maxWorkers: workersOf(selected[0] ?? 'processes'),
    sequence: { sequencer: LongestFirst },
    projects: await Promise.all(selected.map((suite) => PROJECTS[suite]())),
  },
}));
