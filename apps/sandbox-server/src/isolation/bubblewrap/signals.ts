/** Freezes and kills processes by signals, for machines without a freezer. */
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, processTree, readStat, type ProcessIdentity } from './procfs.ts';

export function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

const MAX_ROUNDS = 500;

function isStopped(pid: number): boolean {
  const state = readStat(pid)?.state;
  return state === undefined || state === 'T' || state === 't' || state === 'Z';
}

/** Stops every process below pid 1 inside. Repeats until a round finds nothing new: a fork may race with a round. */
export async function stopTree(init: ProcessIdentity): Promise<void> {
  const stopped = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const tree = processTree(init.pid);
    const fresh = tree.filter((pid) => !stopped.has(pid));
    // Signals are asynchronous: a process is stopped only when the kernel reports it.
    if (fresh.length === 0 && tree.every(isStopped)) return;
    for (const pid of fresh) {
      trySignal(pid, 'SIGSTOP');
      stopped.add(pid);
    }
    await delay(round < 10 ? 0 : 5);
  }
  throw new Error(`the sandbox forks faster than it can be stopped; lower its process limit`);
}

/** Children first: a parent that runs before its child would see it stopped and may report that. */
export function continueTree(init: ProcessIdentity): void {
  for (const pid of processTree(init.pid).toReversed()) trySignal(pid, 'SIGCONT');
}

/** Stopped by a signal; pid 1 inside stands for the whole tree. */
export function isTreeStopped(init: ProcessIdentity): boolean {
  return readStat(init.pid)?.state === 'T';
}

/** Kills the remaining processes of a sandbox and waits until they have exited. */
export async function killAndWait(
  targets: readonly ProcessIdentity[],
  timeoutMs = 10_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let living = targets.filter(isAlive);
  for (const { pid } of living) trySignal(pid, 'SIGKILL');
  for (let pauseMs = 0; living.length > 0; pauseMs = Math.min(pauseMs + 1, 20)) {
    if (Date.now() > deadline) {
      throw new Error(
        `processes ${living.map(({ pid }) => pid).join(', ')} do not end; they may hang in the kernel`,
      );
    }
    await delay(pauseMs);
    living = living.filter(isAlive);
  }
}
