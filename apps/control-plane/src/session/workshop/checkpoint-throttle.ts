const MIN_PAUSE_MS = 15_000;
const PAUSE_PER_WORK = 50;

/** Throttles recurring work in proportion to its duration: saving must not become what everybody waits for. */
export class CheckpointThrottle {
  readonly #now: () => number;
  #notBeforeMs = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Undefined when it is not due yet. */
  async runIfDue<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    const startedAtMs = this.#now();
    if (startedAtMs < this.#notBeforeMs) return undefined;
    try {
      return await work();
    } finally {
      const endedAtMs = this.#now();
      const pauseMs = (endedAtMs - startedAtMs) * PAUSE_PER_WORK;
      this.#notBeforeMs = endedAtMs + Math.max(MIN_PAUSE_MS, pauseMs);
    }
  }
}
