/**
 * A cold start through the SDK, alternating with a bare `bwrap`: other load on the machine slows both alike, so the ratio
 * holds on a busy machine too.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { spread, type Spread } from '../statistics.ts';
import { goal, round, type Goal, type Report } from '../report.ts';
import * as measures from './measures.ts';
import { startServer, type BenchServer } from './server.ts';
import { removeFolder } from '../../scripts/testing/remove-folder.ts';

const ROUNDS = 25;

export interface ColdStart {
  bwrap: Spread;
  createCold: Spread;
}

export async function measureColdStart(server: BenchServer, rounds: number): Promise<ColdStart> {
  const bwrap: number[] = [];
  const createCold: number[] = [];
  for (let index = -measures.WARM_UP_ROUNDS; index < rounds; index += 1) {
    const bareMs = await measures.bareBwrapOnce();
    const oursMs = await measures.createToOutputOnce(server);
    if (index < 0) continue;
    bwrap.push(bareMs);
    createCold.push(oursMs);
  }
  return { bwrap: spread(bwrap), createCold: spread(createCold) };
}

export function coldGoals({ bwrap, createCold }: ColdStart): Goal[] {
  return [
    goal('create to output, cold (ms, p50)', createCold.p50, 100),
    goal('create to output, cold (times bare bwrap)', round(createCold.p50 / bwrap.p50), 10),
  ];
}

export async function benchSandboxCold(): Promise<Report> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ship-bench-'));
  try {
    const server = await startServer(dataDir, 0);
    const cold = await measureColdStart(server, ROUNDS);
    await server.stop();
    return { ...cold, goals: coldGoals(cold) };
  } finally {
    removeFolder(dataDir);
  }
}
