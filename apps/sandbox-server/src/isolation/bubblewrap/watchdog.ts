/**
 * Limits that the kernel does not hold for us on this machine. A sandbox that is over a limit loses its commands, not its
 * supervisor or its files, so its owner can still look, and make room; one whose commands cannot be ended is stopped.
 *
 * Measuring takes time, in which a sandbox can write. So five times a second the file system as a whole is asked, which
 * costs microseconds and sees everything: a sandbox is measured at once when the growth could be its own, and stands still
 * meanwhile when it could be over.
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
const LOOK_MS = 2000;
const MEGABYTE = 1024 * 1024;
/** Pid 1 inside and the supervisor: the first two of the tree. */
const OWN_PROCESSES = 2;
/** Looks without urgency that may run at the same time. */
const MAX_LOOKS = 2;

/** A look may take this share of the time until the next one: measuring must not become the load. */
const MAX_SHARE_OF_TIME = 0.05;
/** Less than this since the last look is the supervisor's own breathing: nothing can have been written. */
const IDLE_NANOSECONDS = 5_000_000;
const MAX_KILL_ROUNDS = 20;
/** Compared with it, no later reading has grown: nothing is urgent before the next look. */
const UNKNOWN_SPACE: Space = { usedBytes: Infinity, freeBytes: Infinity, usedInodes: Infinity };

interface Watched {
  limits: Limits;
  nextLookMs: number;
  measured: Measured | undefined;
  cpuNanoseconds: number | undefined;
  isLooking: boolean;
  /** When its commands were ended last, and what it had on disk then: growth since is answered at once. */
  ended: { atMs: number; bytes: number; inodes: number } | undefined;
}

/** When to measure a folder again that took this long to measure. */
export function nextLook(nowMs: number, tookMs: number): number {
  return nowMs + Math.max(LOOK_MS, tookMs / MAX_SHARE_OF_TIME);
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
  #looks = 0;

  constructor(machine: Machine, initOf: (id: string) => ProcessIdentity | undefined) {
    this.#machine = machine;
    this.#initOf = initOf;
  }

  onLimit(listener: LimitListener): void {
    this.#listeners.add(listener);
  }

  watch(id: string, limits: Limits): void {
    const never = { measured: undefined, cpuNanoseconds: undefined, ended: undefined };
    this.#watched.set(id, { limits, nextLookMs: 0, isLooking: false, ...never });
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  unwatch(id: string): void {
    this.#watched.delete(id);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#space = undefined;
  }

  /** The last measurement, at most a few seconds old; of one that does not run, made now. */
  async diskBytes(id: string): Promise<number> {
    const { layout, tools, owner } = this.#machine;
    const known = this.#watched.get(id)?.measured?.bytes;
    return known ?? (await namedBytes(owner, tools, sandboxPaths(layout, id).upper).catch(() => 0));
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      // Without it, every sandbox is still measured when its time comes.
      const space = await readSpace(this.#machine.layout.sandboxes).catch(() => undefined);
      for (const [id, watched] of this.#watched) this.#consider(id, watched, space);
      this.#space = space;
    } finally {
      this.#isTicking = false;
    }
  }

  #consider(id: string, watched: Watched, space: Space | undefined): void {
    if (watched.isLooking) return;
    const { measured, limits } = watched;
    const urgent =
      measured === undefined || space === undefined
        ? 'none'
        : urgency(diskLimits(limits), measured, space, this.#space);
    if (urgent === 'none' && (this.#looks >= MAX_LOOKS || !this.#isDue(id, watched))) return;
    watched.isLooking = true;
    this.#looks += 1;
    void this.#look(id, watched, space ?? UNKNOWN_SPACE, urgent)
      // What could not be measured now (no descriptors, no process can be started) is measured at the next look.
      .catch(() => undefined)
      .finally(() => {
        watched.isLooking = false;
        this.#looks -= 1;
      });
  }

  #isDue(id: string, watched: Watched): boolean {
    if (Date.now() < watched.nextLookMs) return false;
    if (!this.#isIdle(id, watched)) return true;
    watched.nextLookMs = Date.now() + LOOK_MS;
    return false;
  }

  /** A frozen sandbox, or one whose commands only wait, uses no processor and so no more disk. */
  #isIdle(id: string, watched: Watched): boolean {
    const { cpuNanoseconds } = this.#machine.cgroups.stats(id);
    const before = watched.cpuNanoseconds;
    watched.cpuNanoseconds = cpuNanoseconds;
    if (cpuNanoseconds === undefined || before === undefined || watched.measured === undefined)
      return false;
    return cpuNanoseconds - before < IDLE_NANOSECONDS;
  }

  async #look(id: string, watched: Watched, space: Space, urgent: Urgency): Promise<void> {
    const init = this.#initOf(id);
    if (init === undefined) return;
    if (urgent === 'full' && !this.#isIdle(id, watched)) {
      await this.#end(id, watched, init, 'the disk of this machine is nearly full');
      return;
    }
    const held = urgent === 'hold' ? hold(commandsOf(init)) : [];
    try {
      await this.#measure(id, watched, init, space);
      if (this.#watched.get(id) === watched) await this.#judge(id, watched, init);
    } finally {
      for (const pid of held) trySignal(pid, 'SIGCONT');
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
    watched.nextLookMs = nextLook(Date.now(), Date.now() - startedMs);
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
    // Its owner has until the next look to delete something by a command; only growth is ended at once.
    const hasGrown =
      ended === undefined || measured.bytes > ended.bytes || measured.inodes > ended.inodes;
    if (hasGrown || Date.now() - ended.atMs >= LOOK_MS) await this.#end(id, watched, init, reason);
  }

  async #end(id: string, watched: Watched, init: ProcessIdentity, reason: string): Promise<void> {
    const isFirst = watched.ended === undefined;
    const { bytes, inodes } = watched.measured ?? { bytes: 0, inodes: 0 };
    watched.ended = { atMs: Date.now(), bytes, inodes };
    const areEnded = await endCommands(init);
    // Nothing inside survives the end of pid 1, however fast it forks.
    if (!areEnded) trySignal(init.pid, 'SIGKILL');
    if (!isFirst && areEnded) return;
    const what = areEnded ? 'its commands were ended' : 'it was stopped';
    for (const listener of this.#listeners) listener(id, `${what}: ${reason}`);
  }
}

const commandsOf = (init: ProcessIdentity): number[] => processTree(init.pid).slice(OWN_PROCESSES);

const stateOf = (pid: number): string => readStat(pid)?.state ?? 'X';

/** Stops commands that were not stopped already, and answers which. */
function hold(commands: readonly number[]): number[] {
  const running = commands.filter((pid) => !['T', 't', 'Z', 'X'].includes(stateOf(pid)));
  for (const pid of running) trySignal(pid, 'SIGSTOP');
  return running;
}

/** Repeated, because a fork can race with a round. False: they come back faster than they go. */
async function endCommands(init: ProcessIdentity): Promise<boolean> {
  for (let round = 0; round < MAX_KILL_ROUNDS; round += 1) {
    const living = commandsOf(init).filter((pid) => !['Z', 'X'].includes(stateOf(pid)));
    if (living.length === 0) return true;
    for (const pid of living) trySignal(pid, 'SIGKILL');
    await delay(round);
  }
  return false;
}
