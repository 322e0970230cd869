const PER_SECOND = 10;
const BURST = 10;
const MAX_WAIT_MS = 20_000;
const SPACING_MS = 1_000 / PER_SECOND;

/**
 * Staggers the alarms that wake objects: after a restart of the process, all sessions' alarms fire at once, and a page that
 * loads then would wait behind hundreds of them. Requests of people are never delayed. An object waits at most once: an
 * overload makes alarms slow, never stuck.
 */
export class AlarmGate {
  #nextAtMs = 0;
  /**
   * Kept here, not in the object: the platform may evict an object while it waits, and its successor would wait again, forever.
   */
  readonly #waiting = new Set<string>();

  /** How long an alarm that fires now has to wait; 0: it proceeds. */
  waitMs(name: string, nowMs: number): number {
    if (this.#waiting.delete(name)) return 0;
    const waitMs = this.#reserveTime(nowMs);
    if (waitMs > 0) this.#waiting.add(name);
    return waitMs;
  }

  #reserveTime(nowMs: number): number {
    const earliest = nowMs - BURST * SPACING_MS;
    const latest = nowMs + MAX_WAIT_MS;
    this.#nextAtMs = Math.min(latest, Math.max(earliest, this.#nextAtMs) + SPACING_MS);
    return Math.max(0, Math.round(this.#nextAtMs - nowMs));
  }
}

/** Objects of one isolate share a thread, so they share the gate. */
export const gateOfIsolate = new AlarmGate();
