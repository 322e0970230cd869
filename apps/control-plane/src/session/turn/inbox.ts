/** Room for a burst; a stream that is faster than we are waits, so that its sender does. */
const MAX_WAITING = 50;
const MAX_WEIGHT = 200_000;

/** Things that happen while others are being dealt with; taken out all at once, so that a burst is stored in one go. */
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

  /** The same with back pressure: resolves when there is room for more. `weight`: about its bytes. */
  async offer(item: T, weight: number): Promise<void> {
    if (this.#isClosed) return;
    this.#weight += weight;
    this.push(item);
    if (this.#waiting.length < MAX_WAITING && this.#weight < MAX_WEIGHT) return;
    this.#room ??= Promise.withResolvers();
    await this.#room.promise;
  }

  /** Nobody takes anything out any more: whoever waits for room goes on. */
  close(): void {
    this.#isClosed = true;
    this.#makeRoom();
  }

  /** Everything that has come, at least one; nothing when `timeoutMs` have passed. */
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
