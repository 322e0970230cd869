/** The server's clock. Tests inject their own, so that an hour's timeout does not take an hour. */
export interface Clock {
  nowMs(): number;
  /** Calls back once after the delay; the returned function cancels. Never keeps the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

/** `setTimeout` fires immediately for longer delays (32-bit overflow): a sandbox with a long timeout would end immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, callback) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const stepMs = Math.min(Math.max(leftMs, 0), MAX_TIMER_MS);
      timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : callback()), stepMs);
      timer.unref();
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
};

/** A clock that tests advance by hand; due timers run in order. */
export class ManualClock implements Clock {
  #nowMs: number;
  #timers: { atMs: number; callback: () => void }[] = [];

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(delayMs, 0), callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const due = this.#timers
        .filter((timer) => timer.atMs <= untilMs)
        .toSorted((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = untilMs;
  }
}
