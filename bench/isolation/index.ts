/** The isolation back end alone: start, exec, pause, memory, fork, each against a bare `bwrap` in the same run. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBubblewrapBackend } from '../../apps/sandbox-server/src/isolation/index.ts';
import { ensureTemplate } from '../../apps/sandbox-server/src/templates/index.ts';
import type { Report } from '../report.ts';
import * as measures from './measures.ts';
import { removeFolder } from '../../scripts/testing/remove-folder.ts';

const TIMES = 20;

export async function benchIsolation(times = TIMES): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'ship-bench-'));
  const backend = await createBubblewrapBackend({ dataFolder: folder });
  try {
    const { layer } = await ensureTemplate({ backend, dataFolder: folder, name: 'base' });
    const bench = { backend, folder, layer };
    const start = await measures.coldStart(bench, times);
    await measures.start(bench, 'idle');
    const exec = await measures.exec(bench, 'idle', times * 5);
    const pauseResume = await measures.pauseResume(bench, 'idle', times);
    const idleMb = measures.idleMegabytes(bench, 'idle');
    const forkFewFiles = await measures.fork(bench, 500, 50, Math.ceil(times / 4));
    const forkManyFiles = await measures.fork(bench, 500, 5000, Math.ceil(times / 4));
    return { start, exec, ...pauseResume, idleMb, forkFewFiles, forkManyFiles };
  } finally {
    for (const id of await backend.list()) await backend.destroy(id);
    await backend.release();
    removeFolder(folder);
  }
}
