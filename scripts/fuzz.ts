/**
 * `npm run fuzz -- [--cases N] [--seed N]`: the fuzz suites at full size; `npm test` runs the same ones smaller. The same
 * seed sends the same requests. Each suite reads SHIP_FUZZ_CASES and SHIP_FUZZ_SEED.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseFuzzOptions } from './fuzz-options.ts';
import { type Step, ROOT, failedNames, runSteps, tool } from './steps.ts';
import {
  REPORTS as ALL_REPORTS,
  countTests,
  readReport,
  reportTo,
  sumCounts,
} from './test/report.ts';
import { testFiles } from './test/suites.ts';

/** Folders or files of tests, one suite each. */
const SUITES = [
  { name: 'sandbox server', project: 'processes', tests: ['apps/sandbox-server/test/fuzz'] },
  { name: 'control plane', project: 'processes', tests: ['apps/control-plane/test/fuzz.test'] },
  // Every property test of pure code and of Durable Objects, with this seed in place of the one of `npm test`.
  { name: 'properties', project: 'units', tests: propertyTests('units') },
  { name: 'properties in workerd', project: 'workerd', tests: propertyTests('workerd') },
];

function propertyTests(suite: 'units' | 'workerd'): string[] {
  return testFiles(suite).filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').includes("from 'fast-check'"),
  );
}

const REPORTS = join(ALL_REPORTS, 'fuzz');
const reportOf = (name: string): string => join(REPORTS, `${name.replaceAll(' ', '-')}.json`);

const options = parseFuzzOptions(process.argv.slice(2));
if ('mistake' in options) {
  process.stderr.write(`fuzz: ${options.mistake}\n`);
  process.exit(2);
}
rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

const steps = SUITES.map(({ name, project, tests }): Step => ({
  name,
  ...tool(
    'vitest',
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=./scripts/test/vitest-reporter.ts',
    ...tests,
  ),
  env: {
    ...reportTo(reportOf(name)),
    SHIP_FUZZ_CASES: String(options.cases),
    SHIP_FUZZ_SEED: String(options.seed),
  },
}));
process.stdout.write(`fuzz: ${options.cases} cases a suite from seed ${options.seed}\n`);
const failed = failedNames(await runSteps(steps, { quiet: false }));
const count = sumCounts(SUITES.map(({ name }) => countTests(readReport(reportOf(name)))));
// A suite that died before it could report still counts as failed.
const failures = Math.max(failed.length, count.failed);
process.stdout.write(`\n${count.passed} passed, ${failures} failed\n`);
process.exitCode = failures === 0 ? 0 : 1;
