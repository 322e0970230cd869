/**
 * `npm run attack -- [--seed N] [NAME…]`: the attack suite of the whole product at full size; `npm test` runs the same
 * files smaller. Ends with one line per attack, then `N passed, M failed`.
 *
 * A title is `[AT-ID] attack: what the attacker gains`; docs/security.md cites the id. An attack asserts on its outcome (a
 * request received, a file read, a dollar spent, a process killed), never on internals: a rewrite must not turn a hole into a
 * passing test. SHIP_ATTACK=full and SHIP_ATTACK_SEED are set for those that have a size and a seed.
 */
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, failedNames, runSteps, tool } from './steps.ts';
import { REPORTS, countTests, readReport, reportTo } from './test/report.ts';
import { MAX_SEED, wholeNumber } from './whole-number.ts';

const FILES = 'apps/*/test/attack/**/*.test.ts';
const DEFAULT_SEED = 1118;
const REPORT = join(REPORTS, 'attack.json');

function options(): { seed: number; files: string[] } {
  const { values, positionals } = parseArgs({
    options: { seed: { type: 'string' } },
    allowPositionals: true,
  });
  const seed = wholeNumber('--seed', values.seed, {
    fallback: DEFAULT_SEED,
    min: 0,
    max: MAX_SEED,
  });
  const all = globSync(FILES, { cwd: ROOT }).sort();
  const named = all.filter((file) => positionals.every((name) => file.includes(name)));
  if (named.length === 0)
    throw new Error(
      `No attack file matches ${positionals.join(' ')}. The files are:\n${all.join('\n')}`,
    );
  return { seed, files: named };
}

async function main(): Promise<number> {
  const { seed, files } = options();
  mkdirSync(REPORTS, { recursive: true });
  rmSync(REPORT, { force: true });
  process.stdout.write(`attack: ${files.length} files from seed ${seed}\n`);
  const reporters = ['--reporter=verbose', '--reporter=./scripts/test/vitest-reporter.ts'];
  const step = {
    name: 'attack',
    ...tool('vitest', 'run', '--project', 'processes', ...reporters, ...files),
    env: { ...reportTo(REPORT), SHIP_ATTACK: 'full', SHIP_ATTACK_SEED: String(seed) },
  };
  const failed = failedNames(await runSteps([step], { quiet: false }));
  const count = countTests(readReport(REPORT));
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
