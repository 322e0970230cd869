/** The client's clock; tests replace it. */
export interface Clock {
  now(): number;
  /** Calls back once after `delayMs`; the returned function cancels the timer. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
