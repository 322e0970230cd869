/**
 * Limits that the kernel does not hold for us on this machine. Looks every two seconds; a sandbox that is over a limit
 * loses its commands, never its supervisor or its files, so its owner can still look, and make room.
 */
import type { Limits } from '../backend.ts';
import { sandboxPaths } from './layout.ts';
import { processTree, residentBytes, type ProcessIdentity } from './procfs.ts';
import { trySignal } from './signals.ts';
import type { Machine } from './start.ts';
import { diskUsage } from './usage.ts';

const LOOK_MS = 2000;
const MEGABYTE = 1024 * 1024;
/** Pid 1 inside and the supervisor: the first two of the tree. */
const OWN_PROCESSES = 2;

/** A look may take this share of the time until the next one: measuring must not become the load. */
const MAX_SHARE_OF_TIME = 0.05;
/** Less than this since the last look is the supervisor's own breathing: nothing can have been written. */
const IDLE_NANOSECONDS = 5_000_000;

interface Watched {
  limits: Limits;
  nextLookMs: number;
  diskBytes: number | undefined;
  cpuNanoseconds: number | undefined;
}

/** When to measure a folder again that took this long to measure. */
export function nextLook(nowMs: number, tookMs: number): number {
  return nowMs + Math.max(LOOK_MS, tookMs / MAX_SHARE_OF_TIME);
}

export class Watchdog {
  readonly #machine: Machine;
  readonly #initOf: (id: string) => ProcessIdentity | undefined;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(machine: Machine, initOf: (id: string) => ProcessIdentity | undefined) {
    this.#machine = machine;
    this.#initOf = initOf;
  }

  watch(id: string, limits: Limits): void {
    const never = { diskBytes: undefined, cpuNanoseconds: undefined };
    this.#watched.set(id, { limits, nextLookMs: 0, ...never });
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The last measurement, at most a few seconds old. */
  diskBytes(id: string): number | undefined {
    return this.#watched.get(id)?.diskBytes;
  }

  async #look(): Promise<void> {
    // A slow disk must not pile up looks.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const [id, watched] of this.#watched) {
        if (Date.now() >= watched.nextLookMs && !this.#isIdle(id, watched))
          await this.#check(id, watched);
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** A frozen sandbox, or one whose commands only wait, uses no processor and so no more disk. */
  #isIdle(id: string, watched: Watched): boolean {
    const { cpuNanoseconds } = this.#machine.cgroups.stats(id);
    const before = watched.cpuNanoseconds;
    watched.cpuNanoseconds = cpuNanoseconds;
    if (cpuNanoseconds === undefined || before === undefined || watched.diskBytes === undefined)
      return false;
    return cpuNanoseconds - before < IDLE_NANOSECONDS;
  }

  async #check(id: string, watched: Watched): Promise<void> {
    const { layout, tools, owner, cgroups } = this.#machine;
    const { limits } = watched;
    const startedMs = Date.now();
    const bytes = await diskUsage(owner, tools.du, sandboxPaths(layout, id).upper);
    watched.nextLookMs = nextLook(Date.now(), Date.now() - startedMs);
    watched.diskBytes = bytes;
    const init = this.#initOf(id);
    if (init === undefined || !this.#watched.has(id)) return;
    const commands = processTree(init.pid).slice(OWN_PROCESSES);
    const isOverMemory =
      !cgroups.controllers.has('memory') &&
      commands.reduce((sum, pid) => sum + residentBytes(pid), 0) > limits.memoryMb * MEGABYTE;
    const isOverDisk = bytes > limits.diskMb * MEGABYTE;
    if (isOverDisk) watched.nextLookMs = 0;
    if (isOverDisk || isOverMemory) for (const pid of commands) trySignal(pid, 'SIGKILL');
  }
}
