import { TokenBucket } from '@ship/core';

/**
 * Shares of the single thread that runs all sessions, in milliseconds of work per second. Costs are estimates: in workerd the
 * clock stands still while code runs.
 */
const SESSION_MS_PER_SECOND = 200;
const TOTAL_MS_PER_SECOND = 350;
const BURST_MS = 50;

/** Shared by all sessions of this isolate: several flooding sessions must not add up to the whole thread. */
const allSessions = new TokenBucket(TOTAL_MS_PER_SECOND, BURST_MS);

/** Rate-limits the work on output of one sandbox. The work runs first and is paid for afterwards. */
export class ThreadShare {
  readonly #session = new TokenBucket(SESSION_MS_PER_SECOND, BURST_MS);

  /** Resolves when this session may continue, at the earliest after one event-loop turn for the other waiters. */
  async spend(costMs: number): Promise<void> {
    const nowMs = Date.now();
    const waitMs = Math.max(this.#session.spend(costMs, nowMs), allSessions.spend(costMs, nowMs));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
