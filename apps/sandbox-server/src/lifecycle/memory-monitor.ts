import type { SandboxRecord } from '../store/records.ts';
import type { LifecycleContext } from './context.ts';
import { messageOf, Refusal } from './errors.ts';
import {
  relieve,
  type EvictionCandidate,
  type MemoryReading,
  type PressureLimits,
} from './memory-pressure.ts';
import type { MemoryReader } from './memory-reading.ts';
import { pauseSandbox } from './pause.ts';

const CHECK_INTERVAL_MS = 2_000;

/** Checks the machine's memory every few seconds, and puts frozen and evictable sandboxes to sleep while it is short. */
export class MemoryMonitor {
  readonly #context: LifecycleContext;
  readonly #limits: PressureLimits;
  readonly #read: MemoryReader;
  #round: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(context: LifecycleContext, limits: PressureLimits, read: MemoryReader) {
    this.#context = context;
    this.#limits = limits;
    this.#read = read;
  }

  start(): void {
    this.#cancel = this.#context.clock.after(CHECK_INTERVAL_MS, () => {
      void this.check().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
  }

  /** One round at a time: two concurrent ones would both see the shortage and put twice as many to sleep. */
  check(): Promise<void> {
    this.#round ??= this.#relieve().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #relieve(): Promise<void> {
    // Skip failures for the rest of this round, otherwise it would retry the same sandbox forever.
    const failed = new Set<string>();
    while (!this.#isStopped) {
      const all = this.#context.records.all().flatMap(asCandidate);
      // Without candidates, skip even the read of /proc.
      if (all.length === 0) return;
      const reading = await this.#read();
      const candidates = all.filter(({ id }) => !failed.has(id));
      const relief = relieve(reading, this.#limits, candidates);
      if (relief.do === 'nothing') return;
      if (!(await this.#putToSleep(relief.id, reading))) failed.add(relief.id);
      if (!relief.again) return;
    }
  }

  async #putToSleep(id: string, reading: MemoryReading): Promise<boolean> {
    const { events, mutex, records, clock } = this.#context;
    try {
      return await mutex.run(id, async () => {
        const record = records.get(id);
        // Used again, killed or put to sleep while this waited for the mutex.
        if (record === undefined || asCandidate(record).length === 0) return true;
        const why = `the machine has ${Math.floor(reading.availableMb)} MB of memory left`;
        events.add(id, 'warn', `put to sleep, its processes end and its files are kept: ${why}`);
        // The owner did not request this: record it like any other loss of processes, and let a request wake the sandbox.
        await pauseSandbox(this.#context, { ...record, processesLostAtMs: clock.nowMs() }, 'files');
        return true;
      });
    } catch (error) {
      const text = error instanceof Refusal ? error.text : messageOf(error);
      events.add(id, 'error', `it could not be put to sleep: ${text}`);
      return false;
    }
  }
}

function asCandidate({ id, phase, evictableSinceMs }: SandboxRecord): EvictionCandidate[] {
  if (phase.state === 'running')
    return evictableSinceMs === undefined
      ? []
      : [{ id, isFrozen: false, idleSinceMs: evictableSinceMs }];
  if (phase.state !== 'paused' || phase.keeps !== 'memory') return [];
  return [{ id, isFrozen: true, idleSinceMs: phase.pausedAtMs }];
}
