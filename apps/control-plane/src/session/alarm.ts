import type { AlarmGate } from './alarm-gate.ts';

/**
 * The object's one alarm. Writing it costs a disk write, so one that rings early is left alone: the object then looks at
 * its plan once more and sets the right one.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  #at: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Rings by then at the latest. */
  noLaterThan(atMs: number): void {
    if (this.#at !== undefined && this.#at !== null && this.#at <= atMs) return;
    this.#at = atMs;
    void this.#storage.setAlarm(atMs);
  }

  /** When there is something to do next. Null: nothing will happen by itself; an alarm that is set rings in vain. */
  set(atMs: number | null): void {
    if (atMs !== null) this.noLaterThan(atMs);
  }

  /**
   * The platform has taken it off. False when it is too early for this one: the first thing that a new object hears may be
   * an alarm that hundreds of others hear too. It rings again when it is its turn.
   */
  onAlarmInTurn(gate: AlarmGate, name: string, nowMs: number): boolean {
    const isNew = this.#at === undefined;
    this.onAlarm();
    const waitMs = isNew ? gate.waitMs(name, nowMs) : 0;
    if (waitMs > 0) this.noLaterThan(nowMs + waitMs);
    return waitMs === 0;
  }

  /** The platform has taken it off, and nobody else rings. */
  onAlarm(): void {
    this.#at = null;
  }
}
