/** How many files of a suite, and how many suites, run at the same time. Nothing else decides this. */
import { availableParallelism } from 'node:os';
import { SUITE_NAMES, type SuiteName } from './suites.ts';

/**
 * Suites that start real processes wait more than half of their time: for an agent, a timer, a restart. Five workers keep two
 * processors busy; with six they wait for each other. Each may run an agent of 400 MB, which sets the upper bound.
 */
const PROCESS_WORKERS = Math.min(8, 2 * availableParallelism() + 1);

const DEFAULT_WORKERS: Record<SuiteName, number> = {
  units: 2,
  processes: PROCESS_WORKERS,
  workerd: 2,
  browser: 4,
  'processes-long': PROCESS_WORKERS,
  'browser-long': 4,
};
const MAX_WORKERS = 64;

/** `SHIP_TEST_WORKERS=4` sets all suites, `SHIP_TEST_WORKERS=processes=3,browser=1` some of them. */
export function parseWorkers(text: string | undefined): Record<SuiteName, number> {
  const workers = { ...DEFAULT_WORKERS };
  if (text === undefined || text === '') return workers;
  for (const entry of text.split(',')) {
    const { suite, count } =
      /^(?:(?<suite>[a-z-]+)=)?(?<count>[0-9]{1,2})$/.exec(entry)?.groups ?? {};
    const suites = SUITE_NAMES.filter((name) => suite === undefined || name === suite);
    const value = Number(count);
    if (suites.length === 0 || !(value >= 1 && value <= MAX_WORKERS))
      throw new Error(
        `SHIP_TEST_WORKERS is "${text}"; use a number from 1 to ${MAX_WORKERS}, or for example processes=3,browser=1 (suites: ${SUITE_NAMES.join(', ')})`,
      );
    for (const name of suites) workers[name] = value;
  }
  return workers;
}

/** `SHIP_TEST_LANES=2` runs two suites at the same time, each with its workers; the output of a suite comes at its end. */
export function suiteLanes(text: string | undefined): number {
  if (text === undefined || text === '') return 1;
  if (/^[1-4]$/.test(text)) return Number(text);
  throw new Error(`SHIP_TEST_LANES is "${text}"; use a number from 1 to ${SUITE_NAMES.length}`);
}

export const workersOf = (suite: SuiteName): number =>
  parseWorkers(process.env.SHIP_TEST_WORKERS)[suite];
