/**
 * Flow-control window: the bytes in flight to one viewer. workerd queues unsent socket data without limit or signal, so the
 * viewer acknowledges what it has drawn, and reading of its output waits (back pressure).
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

  /** False when more is acknowledged than was sent: such a viewer breaks the flow control. */
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

  /** Releases everything that waits for this viewer. */
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
