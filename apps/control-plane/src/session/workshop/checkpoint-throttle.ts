const LEAST_REST_MS = 15_000;
const REST_PER_WORK = 50;

/** Work that is done now and then, and the more rarely the longer it takes: it must not become what everybody waits for. */
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
      const restMs = (endedAtMs - startedAtMs) * REST_PER_WORK;
      this.#notBeforeMs = endedAtMs + Math.max(LEAST_REST_MS, restMs);
    }
  }
}
