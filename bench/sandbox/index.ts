/** The sandbox server through the official SDK, with a bare `bwrap` in the same run as the baseline. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Report, goal } from '../report.ts';
import { coldGoals, measureColdStart } from './cold.ts';
import * as measures from './measures.ts';
import { startServer } from './server.ts';
import { removeFolder } from '../../scripts/testing/remove-folder.ts';

const TIMES = 20;

export async function benchSandbox(times = TIMES): Promise<Report> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ship-bench-'));
  try {
    const cold = await startServer(dataDir, 0);
    const coldStart = await measureColdStart(cold, times);
    const runTrue = await measures.runTrue(cold, times * 5);
    const { pause, resume } = await measures.pauseAndResume(cold, times);
    const transfer = await measures.transfer(cold, 200, Math.ceil(times / 4));
    const idleMb = await measures.idleMemoryMb(cold, dataDir);
    const fork = await measures.forkWorkspace(cold, 500, Math.ceil(times / 4));
    const many = await measures.manyAtOnce(cold, 50);
    await cold.stop();
    const warm = await startServer(dataDir, 2);
    const createWarm = await measures.createFromPool(warm, times, 2);
    await warm.stop();
    const goals = [
      ...coldGoals(coldStart),
      goal('create to output, warm pool (ms, p50)', createWarm.p50, 25),
      goal("commands.run('true') (ms, p50)", runTrue.p50, 8),
      goal('pause (ms, p50)', pause.p50, 15),
      goal('resume to http answer (ms, p50)', resume.p50, 15),
      goal('upload 200 MB (MB/s)', transfer.uploadMbPerSecond, 200, 'higher'),
      goal('download 200 MB (MB/s)', transfer.downloadMbPerSecond, 200, 'higher'),
      goal('server memory growth (MB)', transfer.serverGrowthMb, 64),
      goal('idle sandbox (MB, proportional)', idleMb, 40),
      goal('fork of a 500 MB workspace (ms, p50)', fork.p50, 500),
      goal('50 at once (succeeded)', many.succeeded, many.count, 'higher'),
    ];
    return {
      ...coldStart,
      createWarm,
      runTrue,
      pause,
      resume,
      transfer,
      idleMb,
      fork,
      many,
      goals,
    };
  } finally {
    removeFolder(dataDir);
  }
}
