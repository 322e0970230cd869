/**
 * `npm run chaos -- [--kills 200] [--seed N]`: kills the control plane while clients write and watch.
 * `npm run chaos -- --agent [--runs 60] [--seed N]`: kills a part of a complete Ship while its agent works.
 * The same seed kills at the same moments. Both end with a JSON line of counters and `N passed, M failed`.
 */
import { parseArgs } from 'node:util';
import { agentChaosReport } from '../apps/cli/test/endurance/agent-chaos/report.ts';
import { runAgentChaos } from '../apps/cli/test/endurance/agent-chaos/run.ts';
import { FAULT_COUNTERS, runChaos } from '../apps/control-plane/test/chaos/run.ts';
import { MAX_SEED, anySeed, wholeNumber } from './whole-number.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

function end(result: unknown, passed: number, failed: number): void {
  say(JSON.stringify(result));
  say(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function killControlPlane(kills: number, seed: number): Promise<void> {
  const counters = await runChaos({ kills, seed, say });
  const failed = FAULT_COUNTERS.filter((name) => counters[name] !== 0);
  for (const name of failed) say(`✗ ${name}: ${counters[name]}`);
  end(counters, FAULT_COUNTERS.length - failed.length, failed.length);
}

async function interruptAgents(runs: number, seed: number): Promise<void> {
  say(`chaos: ${runs} tasks are interrupted, seed ${seed}`);
  const report = agentChaosReport(await runAgentChaos({ runs, seed, say }));
  for (const line of report.table) say(line);
  end({ seed, ...report.figures }, report.passed, report.failed);
}

const { values } = parseArgs({
  options: {
    agent: { type: 'boolean', default: false },
    kills: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
  },
});
try {
  const seed = wholeNumber('--seed', values.seed, { fallback: anySeed(), min: 0, max: MAX_SEED });
  const kills = wholeNumber('--kills', values.kills, { fallback: 200, min: 1, max: 100_000 });
  const runs = wholeNumber('--runs', values.runs, { fallback: 60, min: 1, max: 10_000 });
  await (values.agent ? interruptAgents(runs, seed) : killControlPlane(kills, seed));
} catch (error) {
  process.stderr.write(`chaos: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
