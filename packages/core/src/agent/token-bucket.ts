/**
 * How fast one session may use what all share. Work that was done already is paid for afterwards: the bucket goes into debt,
 * and whoever made the debt waits until it is paid.
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

  /** Milliseconds to wait before more is done; 0 while there are tokens. */
  spend(cost: number, nowMs: number): number {
    const passedMs = Math.max(0, nowMs - (this.#filledAt ?? nowMs));
    this.#filledAt = nowMs;
    const filled = this.#tokens + (passedMs / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, filled) - cost;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#perSecond) * 1000);
  }
}
