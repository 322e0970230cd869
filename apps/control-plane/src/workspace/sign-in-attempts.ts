const WINDOW_MS = 60_000;
/** Allows a person's typing errors, but not a program that guesses. */
const MAX_FAILURES = 10;
/** Bounds memory when an attacker changes the address with every guess. */
const MAX_ADDRESSES = 1_000;

/**
 * Wrong tokens of the last minute, by address. 256 bits cannot be guessed, but attempts must not cost CPU or fill the log. Kept
 * in memory, because an object that receives attempts stays awake.
 */
export class SignInAttempts {
  readonly #failedAtMs = new Map<string, number[]>();

  /** Returns how long the address is blocked; 0 when it may try now. */
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
