import type { Clock } from '../clock.ts';

/** A fake clock that a test advances. */
export class ManualClock implements Clock {
  #nowMs = 1_000_000;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Runs due timers by time; timers of the same time run in the order in which they were set. */
  advance(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#nowMs = Math.max(this.#nowMs, due.at);
      due.callback();
    }
    this.#nowMs = end;
  }
}
