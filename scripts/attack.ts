/**
 * `npm run attack -- [--seed N] [NAME…]`: the attack suite of the whole product at full size, in processes and in a browser;
 * `npm test` runs the same files smaller. Ends with one line per attack, then `N passed, M failed`.
 *
 * A title is `[AT-ID] attack: what the attacker gains`; docs/security.md cites the id. An attack asserts on its outcome (a
 * request received, a file read, a dollar spent, a process killed), never on internals: a rewrite must not turn a hole into a
 * passing test. Attacks with a size and a seed read SHIP_ATTACK=full and SHIP_ATTACK_SEED.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ATTACK_TITLE, type AttackFile, type AttackSuite, attackFiles } from './attack-ids.ts';
import { ROOT, type Step, failedNames, runSteps } from './steps.ts';
import { REPORTS, countTests, readReport, reportTo, sumCounts } from './test/report.ts';
import { playwright, vitest } from './test/runners.ts';
import { MAX_SEED, wholeNumber } from './whole-number.ts';

const DEFAULT_SEED = 1118;
const SUITES: readonly AttackSuite[] = ['processes', 'browser'];

const reportOf = (suite: AttackSuite): string => join(REPORTS, `attack-${suite}.json`);

function options(): { seed: number; files: AttackFile[] } {
  const { values, positionals } = parseArgs({
    options: { seed: { type: 'string' } },
    allowPositionals: true,
  });
  const seed = wholeNumber('--seed', values.seed, {
    fallback: DEFAULT_SEED,
    min: 0,
    max: MAX_SEED,
  });
  const all = attackFiles();
  const named = all.filter(
    ({ file }) => positionals.length === 0 || positionals.some((name) => file.includes(name)),
  );
  if (named.length === 0) {
    const names = all.map(({ file }) => file).join('\n');
    throw new Error(`No attack file matches ${positionals.join(' ')}. The files are:\n${names}`);
  }
  return { seed, files: named };
}

/** Files of the browser suite have other tests as well: only those with the id of an attack run. */
function stepOf(suite: AttackSuite, files: readonly string[], seed: number): Step {
  const paths = files.map((file) => join(ROOT, file));
  const run =
    suite === 'browser'
      ? playwright(paths, '--grep', ATTACK_TITLE)
      : vitest(paths, '--project=processes', '--project=processes-long', '--reporter=verbose');
  const env = { SHIP_ATTACK: 'full', SHIP_ATTACK_SEED: String(seed) };
  return { name: `attack: ${suite}`, ...run, env: { ...reportTo(reportOf(suite)), ...env } };
}

async function main(): Promise<number> {
  const { seed, files } = options();
  mkdirSync(REPORTS, { recursive: true });
  for (const suite of SUITES) rmSync(reportOf(suite), { force: true });
  process.stdout.write(`attack: ${files.length} files from seed ${seed}\n`);
  const chosen = SUITES.map((suite) => ({
    suite,
    paths: files.filter((each) => each.suite === suite).map(({ file }) => file),
  })).filter(({ paths }) => paths.length > 0);
  const steps = chosen.map(({ suite, paths }) => stepOf(suite, paths, seed));
  const failed = failedNames(await runSteps(steps, { quiet: false }));
  const count = sumCounts(chosen.map(({ suite }) => countTests(readReport(reportOf(suite)))));
  // A run that died before it could report still counts as failed.
  const failures = Math.max(failed.length, count.failed);
  process.stdout.write(`\n${count.passed} passed, ${failures} failed\n`);
  return failures === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`attack: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
