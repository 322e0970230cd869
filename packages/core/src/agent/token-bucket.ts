/**
 * Rate limit for one session's use of a shared resource. Callers spend after the work is done: the bucket may go into debt, and
 * the caller then waits until it is refilled.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number | undefined;

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Returns the milliseconds to wait before the next work; 0 while there are tokens. */
  spend(cost: number, nowMs: number): number {
    const passedMs = Math.max(0, nowMs - (this.#filledAt ?? nowMs));
    this.#filledAt = nowMs;
    const filled = this.#tokens + (passedMs / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, filled) - cost;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#perSecond) * 1000);
  }
}
