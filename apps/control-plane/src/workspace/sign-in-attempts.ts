const WINDOW_MS = 60_000;
/** Of one address: a person who mistypes, not a program that guesses. */
const MAX_FAILURES = 10;
/** Whoever changes address with every guess would fill the memory else. */
const MAX_ADDRESSES = 1_000;

/**
 * Wrong tokens of the last minute, by address. Nobody can guess 256 bits; this keeps those who try from costing anything,
 * and from filling a log. Kept in memory: an object that is asked stays awake.
 */
export class SignInAttempts {
  readonly #failedAtMs = new Map<string, number[]>();

  /** How long to wait; zero when it may be tried now. */
  waitMs(address: string, nowMs: number): number {
    const recent = this.#recent(address, nowMs);
    if (recent.length < MAX_FAILURES) return 0;
    return (recent[0] ?? nowMs) + WINDOW_MS - nowMs;
  }

  failed(address: string, nowMs: number): void {
    const recent = this.#recent(address, nowMs);
    this.#failedAtMs.delete(address);
    this.#failedAtMs.set(address, [...recent, nowMs].slice(-MAX_FAILURES));
    const [oldest] = this.#failedAtMs.keys();
    if (this.#failedAtMs.size > MAX_ADDRESSES && oldest !== undefined)
      this.#failedAtMs.delete(oldest);
  }

  #recent(address: string, nowMs: number): number[] {
    return (this.#failedAtMs.get(address) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS);
  }
}
