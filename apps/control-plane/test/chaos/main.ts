/** `npm run chaos -- [--kills 200] [--seed N]`: ends with a JSON line of counters and `N passed, M failed`. */
import { parseArgs } from 'node:util';
import { FAULT_COUNTERS, runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);
const counters = await runChaos({ kills: Number(values.kills), seed: Number(values.seed), say });
const failed = FAULT_COUNTERS.filter((name) => counters[name] !== 0);
for (const name of failed) say(`✗ ${name}: ${counters[name]}`);
say(JSON.stringify(counters));
say(`${FAULT_COUNTERS.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
