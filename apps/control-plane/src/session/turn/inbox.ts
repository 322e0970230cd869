/** Things that happen while others are being dealt with; taken out all at once, so that a burst is stored in one go. */
export class Inbox<T> {
  #waiting: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#waiting.push(item);
    this.#wake?.();
  }

  /** Everything that has come, at least one; nothing when `timeoutMs` have passed. */
  async take(timeoutMs: number): Promise<T[]> {
    if (this.#waiting.length === 0) await this.#arrival(timeoutMs);
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
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
