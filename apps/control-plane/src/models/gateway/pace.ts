/** An agent asks some times a minute; a program that asks faster than this spends, or attacks. */
const CALLS_PER_MINUTE = 120;
const BURST = 60;
const MINUTE_MS = 60_000;
/** Sessions that are remembered; the one that was silent longest is forgotten first. */
const MAX_SESSIONS = 10_000;

/** How fast one session may call, before its request is even read. In memory: a restart forgives. */
export class Pace {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** How long to wait, in seconds; 0 when it may go on. */
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
