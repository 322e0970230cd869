import type { AlarmGate } from './alarm-gate.ts';

/**
 * The object's one alarm. Moving it costs a disk write, so an alarm that fires early is kept: the object reconciles once more
 * and sets the right time.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage;
  #at: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Fires by then at the latest. */
  noLaterThan(atMs: number): void {
    if (this.#at !== undefined && this.#at !== null && this.#at <= atMs) return;
    this.#at = atMs;
    void this.#storage.setAlarm(atMs);
  }

  /** When the next work is due. Null: nothing is due; an alarm that is already set fires in vain. */
  set(atMs: number | null): void {
    if (atMs !== null) this.noLaterThan(atMs);
  }

  /**
   * The platform has cleared the alarm. False when it is too early for this object: hundreds of objects may be woken by their
   * alarms at the same moment. The alarm is set again for this object's turn.
   */
  onAlarmInTurn(gate: AlarmGate, name: string, nowMs: number): boolean {
    const isNew = this.#at === undefined;
    this.onAlarm();
    const waitMs = isNew ? gate.waitMs(name, nowMs) : 0;
    if (waitMs > 0) this.noLaterThan(nowMs + waitMs);
    return waitMs === 0;
  }

  /** The platform has cleared the alarm before it calls the object. */
  onAlarm(): void {
    this.#at = null;
  }
}
