/** Processes that a test run leaves: a sandbox outlives the server that started it, so no runner would notice. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process needs a moment to end after its signal. */
const GRACE_MS = 10_000;
const POLL_MS = 200;

function readProc(pid: string, name: string): string {
  try {
    return name === 'cwd'
      ? readlinkSync(`/proc/${pid}/cwd`)
      : readFileSync(`/proc/${pid}/${name}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended since, or belongs to another user.
    return '';
  }
}

/** Processes that name the folder in their command line, work in it or have a part of it mounted. */
export function processesIn(folder: string, own: readonly number[] = [process.pid]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !own.includes(Number(name)))
    .filter((pid) =>
      ['cmdline', 'cwd', 'mountinfo'].some((name) => readProc(pid, name).includes(folder)),
    )
    .map((pid) => `${pid} ${readProc(pid, 'cmdline').slice(0, 200)}`);
}

export async function leftRunning(folder: string): Promise<string[]> {
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += POLL_MS) {
    if (processesIn(folder).length === 0) return [];
    await delay(POLL_MS);
  }
  return processesIn(folder);
}
