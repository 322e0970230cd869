const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** A process that ran this long was healthy: its next crash is a new story. */
const STABLE_AFTER_MS = 30_000;

/** How long to wait before the next restart: doubling, so that a part that dies at once does not eat the machine. */
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
