const MAX_WAITING_BYTES = 1024 * 1024;

/** Keys in the order in which they were pressed: one call at a time, and what comes meanwhile goes together. */
export class Keyboard {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #onFailure: (thrown: unknown) => void;
  #waiting = '';
  #busy: Promise<void> | undefined;

  constructor(write: (bytes: Uint8Array) => Promise<void>, onFailure: (thrown: unknown) => void) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** False when there is no more room: a program that reads nothing must not fill our memory. */
  type(text: string): boolean {
    if (this.#waiting.length + text.length > MAX_WAITING_BYTES) return false;
    this.#waiting += text;
    this.#busy ??= this.#drain();
    return true;
  }

  /** When all that was pressed has arrived, or cannot. */
  idle(): Promise<void> {
    return this.#busy ?? Promise.resolve();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#waiting !== '') {
        const bytes = new TextEncoder().encode(this.#waiting);
        this.#waiting = '';
        await this.#write(bytes);
      }
    } catch (thrown) {
      this.#onFailure(thrown);
    } finally {
      this.#busy = undefined;
    }
  }
}
