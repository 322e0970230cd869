/**
 * Enforces limits that the kernel of this machine does not. A sandbox over a limit loses its commands, but not its
 * supervisor or files, so its owner can inspect it and free space; one whose commands cannot be killed is stopped.
 *
 * A measurement takes time, during which a sandbox can write. So a statfs of the whole file system runs five times a second,
 * which costs microseconds and sees all growth: the watchdog measures a sandbox immediately when the growth could be its
 * own, and pauses it meanwhile when it could be over its limit.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../backend.ts';
import { diskLimits, overLimit, urgency, type Measured, type Urgency } from './disk-rule.ts';
import { namedBytes, namedInodes, readSpace, unnamedBytes, type Space } from './disk-usage.ts';
import { sandboxPaths } from './layout.ts';
import { processTree, readStat, residentBytes, type ProcessIdentity } from './procfs.ts';
import { trySignal } from './signals.ts';
import type { Machine } from './start.ts';

const TICK_MS = 200;
const MEASURE_INTERVAL_MS = 2000;
const MEGABYTE = 1024 * 1024;
/** Pid 1 inside and the supervisor: the first two processes of the tree. */
const OWN_PROCESSES = 2;
/** Routine measurements that may run concurrently. */
const MAX_CONCURRENT_MEASUREMENTS = 2;

/** A measurement may take this share of the time until the next one: measuring must not become the load. */
const MAX_SHARE_OF_TIME = 0.05;
/** Less CPU time than this since the last check is the supervisor's own idle work: nothing can have been written. */
const IDLE_NANOSECONDS = 5_000_000;
const MAX_KILL_ROUNDS = 20;
/** No later reading exceeds it: nothing is urgent before the next measurement. */
const UNKNOWN_SPACE: Space = { usedBytes: Infinity, freeBytes: Infinity, usedInodes: Infinity };

interface Watched {
  limits: Limits;
  nextMeasurementMs: number;
  measured: Measured | undefined;
  cpuNanoseconds: number | undefined;
  isMeasuring: boolean;
  /** When its commands were killed last, and its disk use then: further growth is acted on immediately. */
  ended: { atMs: number; bytes: number; inodes: number } | undefined;
}

/** When to measure again a folder that took this long to measure. */
export function nextMeasurement(nowMs: number, tookMs: number): number {
  return nowMs + Math.max(MEASURE_INTERVAL_MS, tookMs / MAX_SHARE_OF_TIME);
}

type LimitListener = (id: string, reason: string) => void;

export class Watchdog {
  readonly #machine: Machine;
  readonly #initOf: (id: string) => ProcessIdentity | undefined;
  readonly #watched = new Map<string, Watched>();
  readonly #listeners = new Set<LimitListener>();
  #timer: NodeJS.Timeout | undefined;
  #isTicking = false;
  #space: Space | undefined;
  #measuring = 0;

  constructor(machine: Machine, initOf: (id: string) => ProcessIdentity | undefined) {
    this.#machine = machine;
    this.#initOf = initOf;
  }

  onLimit(listener: LimitListener): void {
    this.#listeners.add(listener);
  }

  watch(id: string, limits: Limits): void {
    const never = { measured: undefined, cpuNanoseconds: undefined, ended: undefined };
    this.#watched.set(id, { limits, nextMeasurementMs: 0, isMeasuring: false, ...never });
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#space = undefined;
  }

  /** The last measurement, at most a few seconds old; a stopped sandbox is measured now. */
  async diskBytes(id: string): Promise<number> {
    const { layout, tools, owner } = this.#machine;
    const known = this.#watched.get(id)?.measured?.bytes;
    return known ?? (await namedBytes(owner, tools, sandboxPaths(layout, id).upper).catch(() => 0));
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      // Without this reading, every sandbox is still measured on schedule.
      const space = await readSpace(this.#machine.layout.sandboxes).catch(() => undefined);
      for (const [id, watched] of this.#watched) this.#consider(id, watched, space);
      this.#space = space;
    } finally {
      this.#isTicking = false;
    }
  }

  #consider(id: string, watched: Watched, space: Space | undefined): void {
    if (watched.isMeasuring) return;
    const { measured, limits } = watched;
    const urgent =
      measured === undefined || space === undefined
        ? 'none'
        : urgency(diskLimits(limits), measured, space, this.#space);
    if (
      urgent === 'none' &&
      (this.#measuring >= MAX_CONCURRENT_MEASUREMENTS || !this.#isDue(id, watched))
    )
      return;
    watched.isMeasuring = true;
    this.#measuring += 1;
    void this.#check(id, watched, space ?? UNKNOWN_SPACE, urgent)
      // A failed measurement (no descriptors, no process can be started) is retried at the next one.
      .catch(() => undefined)
      .finally(() => {
        watched.isMeasuring = false;
        this.#measuring -= 1;
      });
  }

  #isDue(id: string, watched: Watched): boolean {
    if (Date.now() < watched.nextMeasurementMs) return false;
    if (!this.#isIdle(id, watched)) return true;
    watched.nextMeasurementMs = Date.now() + MEASURE_INTERVAL_MS;
    return false;
  }

  /** A frozen sandbox, or one whose commands only wait, uses no CPU time and so no more disk. */
  #isIdle(id: string, watched: Watched): boolean {
    const { cpuNanoseconds } = this.#machine.cgroups.stats(id);
    const before = watched.cpuNanoseconds;
    watched.cpuNanoseconds = cpuNanoseconds;
    if (cpuNanoseconds === undefined || before === undefined || watched.measured === undefined)
      return false;
    return cpuNanoseconds - before < IDLE_NANOSECONDS;
  }

  async #check(id: string, watched: Watched, space: Space, urgent: Urgency): Promise<void> {
    const init = this.#initOf(id);
    if (init === undefined) return;
    if (urgent === 'full' && !this.#isIdle(id, watched)) {
      await this.#end(id, watched, init, 'the disk of this machine is nearly full');
      return;
    }
    const paused = urgent === 'pause' ? pause(commandsOf(init)) : [];
    try {
      await this.#measure(id, watched, init, space);
      if (this.#watched.get(id) === watched) await this.#judge(id, watched, init);
    } finally {
      for (const pid of paused) trySignal(pid, 'SIGCONT');
    }
  }

  async #measure(id: string, watched: Watched, init: ProcessIdentity, space: Space): Promise<void> {
    const { layout, tools, owner } = this.#machine;
    const { upper } = sandboxPaths(layout, id);
    const startedMs = Date.now();
    const [named, unnamed, inodes] = await Promise.all([
      namedBytes(owner, tools, upper),
      unnamedBytes(owner, tools, init.pid, processTree(init.pid)),
      namedInodes(owner, tools, upper),
    ]);
    watched.nextMeasurementMs = nextMeasurement(Date.now(), Date.now() - startedMs);
    watched.measured = { bytes: named + unnamed, inodes, space };
  }

  async #judge(id: string, watched: Watched, init: ProcessIdentity): Promise<void> {
    const { measured, limits, ended } = watched;
    const hasMemoryLimit = this.#machine.cgroups.controllers.has('memory');
    const resident = () => commandsOf(init).reduce((sum, pid) => sum + residentBytes(pid), 0);
    if (!hasMemoryLimit && resident() > limits.memoryMb * MEGABYTE)
      await this.#end(id, watched, init, `its limit of ${limits.memoryMb} MB of memory is reached`);
    if (measured === undefined) return;
    const reason = overLimit(diskLimits(limits), measured);
    if (reason === undefined) {
      watched.ended = undefined;
      return;
    }
    // The owner has until the next measurement to delete files by a command; only growth is punished immediately.
    const hasGrown =
      ended === undefined || measured.bytes > ended.bytes || measured.inodes > ended.inodes;
    if (hasGrown || Date.now() - ended.atMs >= MEASURE_INTERVAL_MS)
      await this.#end(id, watched, init, reason);
  }

  async #end(id: string, watched: Watched, init: ProcessIdentity, reason: string): Promise<void> {
    const isFirst = watched.ended === undefined;
    const { bytes, inodes } = watched.measured ?? { bytes: 0, inodes: 0 };
    watched.ended = { atMs: Date.now(), bytes, inodes };
    const areEnded = await endCommands(init);
    // Nothing inside survives the death of pid 1, however fast it forks.
    if (!areEnded) trySignal(init.pid, 'SIGKILL');
    if (!isFirst && areEnded) return;
    const what = areEnded ? 'its commands were ended' : 'it was stopped';
    for (const listener of this.#listeners) listener(id, `${what}: ${reason}`);
  }
}

const commandsOf = (init: ProcessIdentity): number[] => processTree(init.pid).slice(OWN_PROCESSES);

const stateOf = (pid: number): string => readStat(pid)?.state ?? 'X';

/** Stops the commands that were not stopped already, and returns them. */
function pause(commands: readonly number[]): number[] {
  const running = commands.filter((pid) => !['T', 't', 'Z', 'X'].includes(stateOf(pid)));
  for (const pid of running) trySignal(pid, 'SIGSTOP');
  return running;
}

/** Repeats, because a fork can race with a round. Returns false if they fork faster than they are killed. */
async function endCommands(init: ProcessIdentity): Promise<boolean> {
  for (let round = 0; round < MAX_KILL_ROUNDS; round += 1) {
    const living = commandsOf(init).filter((pid) => !['Z', 'X'].includes(stateOf(pid)));
    if (living.length === 0) return true;
    for (const pid of living) trySignal(pid, 'SIGKILL');
    await delay(round);
  }
  return false;
}
