/** Processor time of a step with all the processes that it starts, from Linux's /proc. */
import { readdirSync } from 'node:fs';
import { readStat } from '../setup/times.mjs';

export type ProcessTimes = ReturnType<typeof readStat>;
export type Snapshot = ReadonlyMap<number, ProcessTimes>;

export function readProcesses(): Snapshot {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      processes.set(Number(name), readStat(Number(name)));
    } catch {
      // It ended between the two reads.
    }
  }
  return processes;
}

const totalMs = ({ ownMs, waitedMs }: ProcessTimes): number => ownMs + waitedMs;

/** Of a living process, the descendants that it waited for, and its living descendants. */
export function treeMs(root: number, processes: Snapshot = readProcesses()): number {
  let sum = 0;
  for (const one of processes.values()) if (isBelow(one, root, processes)) sum += totalMs(one);
  return sum;
}

function isBelow(one: ProcessTimes, root: number, processes: Snapshot): boolean {
  let at: ProcessTimes | undefined = one;
  while (at !== undefined && at.pid !== root) at = processes.get(at.parent);
  return at !== undefined;
}

/**
 * A parent that is killed never waits for its children, and the kernel drops their time: tests that kill whole trees
 * would look idle. Snapshots of the tree, taken every moment, find the time that no ancestor received.
 */
export class LostTime {
  readonly #root: number;
  #known = new Map<number, ProcessTimes>();
  #lostMs = 0;

  constructor(root: number) {
    this.#root = root;
  }

  sample(now: Snapshot): void {
    const isSame = (one: ProcessTimes) => now.get(one.pid)?.startedTick === one.startedTick;
    const ended = [...this.#known.values()].filter((one) => !isSame(one));
    const dueMs = new Map<ProcessTimes | undefined, number>();
    for (const one of ended) {
      const heir = this.#nearestLiving(one, isSame);
      dueMs.set(heir, (dueMs.get(heir) ?? 0) + totalMs(one));
    }
    for (const [heir, due] of dueMs) {
      const received = heir === undefined ? 0 : (now.get(heir.pid)?.waitedMs ?? 0) - heir.waitedMs;
      this.#lostMs += Math.max(0, due - received);
    }
    this.#known = new Map(
      [...now].filter(
        ([pid, one]) =>
          isBelow(one, this.#root, now) || this.#known.get(pid)?.startedTick === one.startedTick,
      ),
    );
  }

  /** `waitedMs` is the time that the caller received from the root when it ended. */
  end(waitedMs: number): number {
    let attachedMs = 0;
    let detachedMs = 0;
    for (const one of this.#known.values()) {
      if (isBelow(one, this.#root, this.#known)) attachedMs += totalMs(one);
      else detachedMs += totalMs(one);
    }
    return waitedMs + this.#lostMs + detachedMs + Math.max(0, attachedMs - waitedMs);
  }

  /** The ancestor that receives the time of an ended process; undefined when that is outside the tree. */
  #nearestLiving(
    one: ProcessTimes,
    isSame: (one: ProcessTimes) => boolean,
  ): ProcessTimes | undefined {
    let at = this.#known.get(one.parent);
    while (at !== undefined && !isSame(at)) at = this.#known.get(at.parent);
    return at;
  }
}
