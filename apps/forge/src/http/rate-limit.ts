const limit = 5000;
const windowMs = 3_600_000;

/**
 * The values of the rate limit headers. The forge never refuses a request for its rate, so `remaining` stays far from zero:
 * clients that throttle themselves by it must not slow down.
 */
export class RateLimit {
  #used = 0;
  #resetMs = 0;
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  count(): void {
    const now = this.#now().getTime();
    if (now >= this.#resetMs) {
      this.#resetMs = now + windowMs;
      this.#used = 0;
    }
    this.#used = Math.min(this.#used + 1, limit / 2);
  }

  overview(): { limit: number; used: number; remaining: number; reset: number } {
    const reset = Math.floor((this.#resetMs || this.#now().getTime() + windowMs) / 1000);
    return { limit, used: this.#used, remaining: limit - this.#used, reset };
  }
}
