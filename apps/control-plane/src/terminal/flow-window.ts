/**
 * How much may be under way to one viewer. workerd queues what a socket does not take, without end and without a word,
 * so the viewer says what it has drawn, and whoever reads for it waits.
 */
export class FlowWindow {
  readonly #limitBytes: number;
  #pendingBytes = 0;
  #waiting: (() => void)[] = [];
  #isOpen = true;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  sent(bytes: number): void {
    this.#pendingBytes += bytes;
  }

  /** False for more than was ever sent: whoever says so cannot be trusted to slow us down. */
  acknowledged(bytes: number): boolean {
    if (bytes > this.#pendingBytes) return false;
    this.#pendingBytes -= bytes;
    if (!this.isFull) this.#release();
    return true;
  }

  get isFull(): boolean {
    return this.#isOpen && this.#pendingBytes >= this.#limitBytes;
  }

  room(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Nobody waits for a viewer that has gone. */
  close(): void {
    this.#isOpen = false;
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
