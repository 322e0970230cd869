import type { Clock } from './clock.ts';

/** One timer per sandbox, for the end of its timeout. */
export class ExpiryTimers {
  readonly #clock: Clock;
  readonly #onExpired: (id: string) => void;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock, onExpired: (id: string) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  arm(id: string, atMs: number): void {
    this.disarm(id);
    const cancel = this.#clock.after(atMs - this.#clock.nowMs(), () => {
      this.#cancels.delete(id);
      this.#onExpired(id);
    });
    this.#cancels.set(id, cancel);
  }

  disarm(id: string): void {
    this.#cancels.get(id)?.();
    this.#cancels.delete(id);
  }

  disarmAll(): void {
    for (const id of this.#cancels.keys()) this.disarm(id);
  }
}
