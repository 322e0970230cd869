/** Room for a burst; beyond it, a stream that is too fast gets back pressure. */
const MAX_WAITING = 50;
const MAX_WEIGHT = 200_000;

/** Queues what happens during other work; drained at once, so that a burst is stored in one write. */
export class Inbox<T> {
  #waiting: T[] = [];
  #weight = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  push(item: T): void {
    this.#waiting.push(item);
    this.#wake?.();
  }

  /** Like `push` with back pressure: resolves when there is room for more. `weight`: approximate bytes. */
  async offer(item: T, weight: number): Promise<void> {
    if (this.#isClosed) return;
    this.#weight += weight;
    this.push(item);
    if (this.#waiting.length < MAX_WAITING && this.#weight < MAX_WEIGHT) return;
    this.#room ??= Promise.withResolvers();
    await this.#room.promise;
  }

  /** Nothing drains the queue any more: releases senders that wait for room. */
  close(): void {
    this.#isClosed = true;
    this.#makeRoom();
  }

  /** Everything that has arrived, at least one item; nothing after `timeoutMs`. */
  async take(timeoutMs: number): Promise<T[]> {
    if (this.#waiting.length === 0) await this.#arrival(timeoutMs);
    const taken = this.#waiting;
    this.#waiting = [];
    this.#weight = 0;
    this.#makeRoom();
    return taken;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #arrival(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
