import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** When a process started, in clock ticks since boot: distinguishes it from a later process with the same pid. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain blanks and parentheses; fields count from its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** The running process that a lock file names. An unreadable or empty file names none: its writer died while writing. */
async function holderOf(path: string): Promise<number | undefined> {
  const [pidText = '', startTime] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || startTime === undefined) return undefined;
  return (await startTimeOf(pid)) === startTime ? pid : undefined;
}

const WRITE_GRACE_MS = 100;

/**
 * One server per data folder: two would take each other's sandboxes for orphans and destroy them. The lock of a killed
 * server does not count, because its process is gone.
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const path = join(dataDir, 'server.lock');
  const mine = `${process.pid} ${(await startTimeOf(process.pid)) ?? 'unknown'}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      await writeFile(path, mine, { flag: 'wx', mode: 0o600 });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    // Another server may have created it a moment ago and not written its content yet.
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, WRITE_GRACE_MS));
    const holder = await holderOf(path);
    if (holder !== undefined) {
      throw new Error(
        `Another sandbox server (process ${holder}) uses ${dataDir}. Stop it, or give this one its own data folder.`,
      );
    }
    if (attempt > 0) await rm(path, { force: true });
  }
  throw new Error(
    `The lock ${path} cannot be acquired. Remove it if no sandbox server runs on this folder.`,
  );
}
