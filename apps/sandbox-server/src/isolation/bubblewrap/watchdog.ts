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

export class Watchdog {
  readonly #machine: Machine;
  readonly #initOf: (id: string) => ProcessIdentity | undefined;
  readonly #watched = new Map<string, Limits>();
  readonly #diskBytes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(machine: Machine, initOf: (id: string) => ProcessIdentity | undefined) {
    this.#machine = machine;
    this.#initOf = initOf;
  }

  watch(id: string, limits: Limits): void {
    this.#watched.set(id, limits);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
    this.#diskBytes.delete(id);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The last measurement, at most a few seconds old. */
  diskBytes(id: string): number | undefined {
    return this.#diskBytes.get(id);
  }

  async #look(): Promise<void> {
    // A slow disk must not pile up looks.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const [id, limits] of this.#watched) await this.#check(id, limits);
    } finally {
      this.#isLooking = false;
    }
  }

  async #check(id: string, limits: Limits): Promise<void> {
    const { layout, tools, cgroups } = this.#machine;
    const bytes = await diskUsage(tools.du, sandboxPaths(layout, id).upper);
    const init = this.#initOf(id);
    if (init === undefined || !this.#watched.has(id)) return;
    this.#diskBytes.set(id, bytes);
    const commands = processTree(init.pid).slice(OWN_PROCESSES);
    const isOverMemory =
      !cgroups.controllers.has('memory') &&
      commands.reduce((sum, pid) => sum + residentBytes(pid), 0) > limits.memoryMb * MEGABYTE;
    if (bytes > limits.diskMb * MEGABYTE || isOverMemory)
      for (const pid of commands) trySignal(pid, 'SIGKILL');
  }
}
