import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { writeAtomically } from './atomic-file.ts';

/** When a process started, in clock ticks since boot: tells a process from a later one with the same number. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold blanks and brackets itself; fields count from after its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/**
 * One server per data folder: two would take each other's sandboxes for orphans and destroy them. The lock of a server
 * that was killed does not hold, for its process is gone.
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const path = join(dataDir, 'server.lock');
  const mine = `${process.pid} ${(await startTimeOf(process.pid)) ?? 'unknown'}`;
  const [pidText = '', startTime] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
  const holder = Number(pidText);
  if (Number.isInteger(holder) && holder > 0 && startTime !== undefined) {
    const alive = (await startTimeOf(holder)) === startTime;
    if (alive) {
      throw new Error(
        `Another sandbox server (process ${holder}) uses ${dataDir}. Stop it, or give this one a data folder of its own.`,
      );
    }
    await rm(path, { force: true });
  }
  try {
    const file = await open(path, 'wx', 0o600);
    await file.close();
  } catch {
    const owner = await readFile(path, 'utf8').catch(() => '');
    if (owner.trim() !== '') throw new Error(`Another sandbox server is starting in ${dataDir}.`);
  }
  await writeAtomically(path, mine);
  return () => rm(path, { force: true });
}
