/**
 * Time from a prompt to the first model request: cold, and with a warm agent. Uses the real control plane, sandbox, OpenCode
 * and forge; only the model is scripted, and answers immediately. Also checks that 8 concurrent sessions all finish.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WholeWorld } from '../../apps/control-plane/test/support/whole-world.ts';
import { spread } from '../statistics.ts';
import { type Report, goal } from '../report.ts';
import { AgentBench } from './measures.ts';
import { tokenDelay } from './tokens.ts';

const TIMES = 5;
const AT_ONCE = 8;

export async function benchAgent(times = TIMES): Promise<Report> {
  const rule = { name: 'any', when: { prompt: '*' as const }, steps: [{ say: 'Hello there.' }] };
  const world = await WholeWorld.open([rule]);
  try {
    const repository = makeRepository(join(world.folder, 'plain'));
    const bench = new AgentBench(world, repository);
    const cold: number[] = [];
    for (let i = 0; i < times; i++) cold.push(await bench.firstRequest({}));
    await world.call('PATCH', '/api/settings', { warm: { size: 1 } });
    const warm: number[] = [];
    for (let i = 0; i < times; i++) warm.push(await bench.warmFirstRequest());
    await world.call('PATCH', '/api/settings', { warm: { size: 0 } });
    const paused: number[] = [];
    for (let i = 0; i < times; i++) paused.push(await bench.firstRequestAfter('frozen'));
    const asleep: number[] = [];
    for (let i = 0; i < times; i++) asleep.push(await bench.firstRequestAfter('asleep'));
    const token = await tokenDelay(world, repository);
    const finished = await bench.atOnce(AT_ONCE);
    return {
      goals: [
        goal('prompt to first model request, cold (ms, p50)', spread(cold).p50, 4_000),
        goal('prompt to first model request, warm (ms, p50)', spread(warm).p50, 400),
        goal('prompt to first model request, paused (ms, p50)', spread(paused).p50, 400),
        goal('prompt to first model request, deep sleep (ms, p50)', spread(asleep).p50, 4_000),
        goal('token from the model to a watcher (ms, p50)', token.p50, 15),
        goal('token from the model to a watcher (ms, p99)', token.p99, 60),
        goal(`of ${AT_ONCE} sessions at once, finished`, finished.count, AT_ONCE, 'higher'),
      ],
      'cold (ms)': spread(cold),
      'warm (ms)': spread(warm),
      'paused (ms)': spread(paused),
      'deep sleep (ms)': spread(asleep),
      'token (ms)': token,
      'stages of the last cold start (ms)': bench.stages,
      'all at once (ms)': finished.ms,
    };
  } finally {
    await world.close();
  }
}

/** Has no verify command: the time that a repository's own tests take is not Ship's. */
function makeRepository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'one.txt'), 'one\n');
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  for (const argv of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'first'],
  ])
    execFileSync('git', [...who, ...argv], { cwd: folder });
  return folder;
}
