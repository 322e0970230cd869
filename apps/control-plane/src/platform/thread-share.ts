import { TokenBucket } from '@ship/core';

/**
 * Shares of the one thread on which all sessions run, in milliseconds of work for each second. Costs are estimates: in workerd the
 * clock stands still while code runs.
 */
const ONE_MS_PER_SECOND = 200;
const ALL_MS_PER_SECOND = 350;
const BURST_MS = 50;

/** Of all sessions of this isolate together: several that flood must not add up to the whole thread. */
const everyone = new TokenBucket(ALL_MS_PER_SECOND, BURST_MS);

/** How fast the control plane works on what comes out of one sandbox. The work is done first and paid for afterwards. */
export class ThreadShare {
  readonly #own = new TokenBucket(ONE_MS_PER_SECOND, BURST_MS);

  /** Resolves when this session may go on; at the earliest when every other that waits has had its turn of the event loop. */
  async spend(costMs: number): Promise<void> {
    const nowMs = Date.now();
    const waitMs = Math.max(this.#own.spend(costMs, nowMs), everyone.spend(costMs, nowMs));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
