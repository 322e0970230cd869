/**
 * `npm test`: static checks, units, processes, Durable Objects in real workerd, the web app in real Chromium.
 * `npm test -- --help` lists the arguments.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { CHECKS } from './check.ts';
import { readSetupTimes } from './setup/times.mjs';
import { type Step, type StepResult, endStepsOnSignal, failedNames, runSteps } from './steps.ts';
import { type TestOptions, parseTestOptions } from './test/options.ts';
import { leftRunning } from './test/left-running.ts';
import { REPORTS, countTests, readReport, sumCounts } from './test/report.ts';
import { reportOf, suiteStep } from './test/runners.ts';
import { setUpFor } from './test/set-up.ts';
import { DEFAULT_SUITES, type Selection, selectTests } from './test/suites.ts';
import { type StepTimes, failedTests, slowestTests, timingTables } from './test/tables.ts';
import { forgetPreparedData } from './testing/prepared-folder.ts';
import { openTemporaryFolder, removeTemporaryFolder } from './test/temporary.ts';
import { suiteLanes } from './test/workers.ts';

/** Set-up ended just before this process began; older times are of another command. */
const RECENT_MS = 10_000;

const say = (lines: readonly string[]) =>
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));

function setupTimes(profile: string): StepTimes[] {
  const times = readSetupTimes(profile);
  const isOurs = times !== undefined && times.endedAtMs > performance.timeOrigin - RECENT_MS;
  return isOurs ? times.steps : [];
}

async function run(options: TestOptions, selection: readonly Selection[]): Promise<number> {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });
  endStepsOnSignal();
  const { names, suites, timings } = options;
  const isWhole = names.length === 0 && suites === DEFAULT_SUITES;
  const checking = checkInBackground(isWhole ? CHECKS : []);

  const temporary = openTemporaryFolder();
  const context = { isNamed: names.length > 0, timings, temporary };
  const steps = selection.map((selected) => suiteStep(selected, context));
  const results = await runSteps(steps, {
    quiet: false,
    measured: timings,
    lanes: suiteLanes(process.env.SHIP_TEST_LANES),
    say: (text) => {
      process.stdout.write(text);
      checking.print();
    },
  });
  const checks = await checking.end();
  const running = await leftRunning(temporary);
  const leftBehind = removeTemporaryFolder(temporary);
  forgetPreparedData();

  const reports = selection.map(({ suite }) => readReport(reportOf(suite)));
  if (timings) say(['', ...timingTables(timingsOf(selection, checks, results))]);
  if (leftBehind.length > 0) say(['', `left in the temporary folder: ${leftBehind.join(', ')}`]);
  for (const line of running) say([`left running: ${line}`]);
  say(['', ...slowestTests(reports), '', ...failedTests(reports)]);
  const leftovers = { passed: running.length === 0 ? 1 : 0, failed: running.length === 0 ? 0 : 1 };
  const counts = [countChecks(checks), leftovers, ...reports.map(countTests)];
  return finish([...checks, ...results], counts);
}

/**
 * The suites mostly wait: the checks use the processor in the meantime, one at a time and with the lowest priority, so that
 * no test times out because of them. Their lines are held, or they would mix with the output of a suite.
 */
function checkInBackground(steps: readonly Step[]) {
  const held: string[] = [];
  const print = () => process.stdout.write(held.splice(0).join(''));
  const running = runSteps(steps, {
    quiet: true,
    lanes: 1,
    background: true,
    say: (text) => held.push(text),
  });
  const end = async () => {
    const results = await running;
    print();
    return results;
  };
  return { print, end };
}

const countChecks = (checks: readonly StepResult[]) => {
  const failed = failedNames(checks).length;
  return { passed: checks.length - failed, failed };
};

function timingsOf(
  selection: readonly Selection[],
  checks: readonly StepResult[],
  results: readonly StepResult[],
) {
  const before = setupTimes('check');
  return {
    wallMs: performance.now() + (before.at(-1)?.wallMs ?? 0),
    steps: [...before, ...setupTimes('test'), ...checks],
    suites: selection.flatMap(({ suite }) =>
      results
        .filter(({ name }) => name === suite)
        .map((result) => ({ ...result, report: readReport(reportOf(suite)) })),
    ),
  };
}

function finish(results: readonly StepResult[], counts: Parameters<typeof sumCounts>[0]): number {
  const { passed, failed } = sumCounts(counts);
  const failedSteps = failedNames(results);
  // A suite that died before it could report still counts as failed.
  const failures = Math.max(failedSteps.length, failed);
  if (failedSteps.length > 0) say(['', `failed: ${failedSteps.join(', ')}`]);
  say(['', `${passed} passed, ${failures} failed`]);
  return failures === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const options = parseTestOptions(process.argv.slice(2));
  if ('help' in options) {
    say([options.help]);
    return 0;
  }
  const selection = 'mistake' in options ? options : selectTests(options.names, options.suites);
  if ('mistake' in options || 'mistake' in selection) {
    process.stderr.write(`test: ${'mistake' in selection ? selection.mistake : ''}\n`);
    return 2;
  }
  return setUpFor(selection) ? run(options, selection) : 1;
}

process.exitCode = await main();
