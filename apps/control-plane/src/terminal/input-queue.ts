const MAX_QUEUED_BYTES = 1024 * 1024;

/** Writes terminal input in order: one call at a time; input that arrives meanwhile is batched. */
export class InputQueue {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #onFailure: (thrown: unknown) => void;
  #queued = '';
  #draining: Promise<void> | undefined;

  constructor(write: (bytes: Uint8Array) => Promise<void>, onFailure: (thrown: unknown) => void) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** False when the queue is full: a program that reads no input must not fill our memory. */
  push(text: string): boolean {
    if (this.#queued.length + text.length > MAX_QUEUED_BYTES) return false;
    this.#queued += text;
    this.#draining ??= this.#drain();
    return true;
  }

  /** Resolves when all input was written or failed. */
  idle(): Promise<void> {
    return this.#draining ?? Promise.resolve();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queued !== '') {
        const bytes = new TextEncoder().encode(this.#queued);
        this.#queued = '';
        await this.#write(bytes);
      }
    } catch (thrown) {
      this.#onFailure(thrown);
    } finally {
      this.#draining = undefined;
    }
  }
}
