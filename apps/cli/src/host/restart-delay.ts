const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** The backoff restarts after a process ran this long. */
const STABLE_AFTER_MS = 30_000;

/** Exponential backoff between restarts, so that a process that crashes immediately does not use up the processor. */
export class RestartDelay {
  #failures = 0;
  #startedAt: number | undefined;

  started(nowMs: number): void {
    this.#startedAt = nowMs;
  }

  next(nowMs: number): number {
    const wasStable = this.#startedAt !== undefined && nowMs - this.#startedAt >= STABLE_AFTER_MS;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    this.#startedAt = undefined;
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1));
  }
}
