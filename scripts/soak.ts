/**
 * Long-running proofs, each against a complete Ship with a scripted model:
 * `npm run soak -- --tasks`: ten tasks of different kinds by `ship run`, each a pull request whose tests pass.
 * `npm run soak -- --many 20`: that many sessions at once; memory and processor time.
 * `npm run soak -- --minutes 30 [--seed N]`: sessions come and go, parts are killed; nothing may be lost, stuck or left.
 * Each ends with a JSON line of figures and `N passed, M failed`.
 */
import { parseArgs } from 'node:util';
import { runMany } from '../apps/cli/test/endurance/many/run.ts';
import { untilInterruptionEnds } from '../apps/cli/test/endurance/ship-host.ts';
import { runSoak } from '../apps/cli/test/endurance/soak/run.ts';
import { runTasks } from '../apps/cli/test/endurance/tasks/run.ts';
import { MAX_SEED, anySeed, wholeNumber } from './whole-number.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

function end(figures: unknown, passed: number, faults: readonly string[]): void {
  for (const fault of faults) say(`✗ ${fault}`);
  say(JSON.stringify(figures));
  say(`${passed} passed, ${faults.length} failed`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function tasks(): Promise<void> {
  const { runs, leftBehind } = await runTasks(say);
  const faults = runs.flatMap((run) => run.faults.map((fault) => `${run.task}: ${fault}`));
  const passed = runs.filter((run) => run.faults.length === 0).length;
  end({ runs, leftBehind }, passed, [...faults, ...leftBehind]);
}

async function many(sessions: number): Promise<void> {
  const { faults, ...figures } = await runMany(sessions, say);
  end(figures, sessions - Math.min(sessions, faults.length), faults);
}

async function soak(minutes: number, seed: number): Promise<void> {
  say(`soak: ${minutes} minutes from seed ${seed}`);
  const { faults, ...figures } = await runSoak({ minutes, seed, say });
  end({ seed, minutes, ...figures }, figures.finished, faults);
}

try {
  const { values } = parseArgs({
    options: {
      tasks: { type: 'boolean', default: false },
      many: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
    },
  });
  const seed = wholeNumber('--seed', values.seed, { fallback: anySeed(), min: 0, max: MAX_SEED });
  const minutes = wholeNumber('--minutes', values.minutes, { fallback: 30, min: 1, max: 1_440 });
  const sessions = wholeNumber('--many', values.many, { fallback: 20, min: 1, max: 200 });
  if (values.tasks) await tasks();
  else if (values.many !== undefined) await many(sessions);
  else await soak(minutes, seed);
} catch (error) {
  await untilInterruptionEnds();
  process.stderr.write(`soak: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
await untilInterruptionEnds();
// After a failure other sessions may still be waiting for an answer, for minutes; nothing reads their outcome.
process.exit();
