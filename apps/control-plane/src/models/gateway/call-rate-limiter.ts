/** Agents call a few times a minute; a faster program wastes money or attacks. */
const CALLS_PER_MINUTE = 120;
const BURST = 60;
const MINUTE_MS = 60_000;
/** Least recently used sessions are evicted above this number. */
const MAX_SESSIONS = 10_000;

/** One token bucket per session, checked before a request is read. Kept in memory only. */
export class CallRateLimiter {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** Returns the seconds to wait; 0 when the call may proceed. */
  take(sessionId: string, nowMs: number): number {
    const known = this.#buckets.get(sessionId) ?? { tokens: BURST, at: nowMs };
    const earned = ((nowMs - known.at) * CALLS_PER_MINUTE) / MINUTE_MS;
    const tokens = Math.min(BURST, known.tokens + earned);
    const isAllowed = tokens >= 1;
    this.#buckets.delete(sessionId);
    this.#buckets.set(sessionId, { tokens: isAllowed ? tokens - 1 : tokens, at: nowMs });
    if (this.#buckets.size > MAX_SESSIONS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return isAllowed ? 0 : Math.ceil(((1 - tokens) * MINUTE_MS) / CALLS_PER_MINUTE / 1000);
  }
}
