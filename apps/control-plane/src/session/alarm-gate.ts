const PER_SECOND = 10;
const BURST = 10;
const MAX_WAIT_MS = 20_000;
const SPACING_MS = 1_000 / PER_SECOND;

/**
 * After the process was away the alarms of all sessions ring in the same moment, and whoever opens the page then waits
 * behind hundreds of them. Objects that an alarm has just woken get their turn one after the other instead; what people
 * ask for is never held up. Each waits once at most: more of them than this lets through are slow, never stuck.
 */
export class AlarmGate {
  #nextAtMs = 0;
  /** Remembered here: the platform may let go of an object while it waits, and the new one would wait again, for ever. */
  readonly #waiting = new Set<string>();

  /** How long one that rings now has to wait; 0: it goes on. */
  waitMs(name: string, nowMs: number): number {
    if (this.#waiting.delete(name)) return 0;
    const waitMs = this.#placeInLine(nowMs);
    if (waitMs > 0) this.#waiting.add(name);
    return waitMs;
  }

  #placeInLine(nowMs: number): number {
    const earliest = nowMs - BURST * SPACING_MS;
    const latest = nowMs + MAX_WAIT_MS;
    this.#nextAtMs = Math.min(latest, Math.max(earliest, this.#nextAtMs) + SPACING_MS);
    return Math.max(0, Math.round(this.#nextAtMs - nowMs));
  }
}

/** All objects of one isolate share a thread, and so this. */
export const gateOfIsolate = new AlarmGate();
