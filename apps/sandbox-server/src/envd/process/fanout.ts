/**
 * Fans one process's output out to any number of listeners. The slowest listener applies back pressure to the process:
 * nothing is queued beyond the current chunk. While there is no listener, the last part is kept, so that a client that
 * reconnects finds what it missed, and the process never blocks.
 */
export type Output = { stdout: string } | { stderr: string } | { pty: string };

export type Listener = (output: Output) => Promise<boolean>;

const MAX_KEPT_CHARACTERS = 1024 * 1024;

export class Fanout {
  readonly #listeners = new Set<Listener>();
  #kept: Output[] = [];
  #keptCharacters = 0;

  /** Undefined when all listeners accepted it synchronously; otherwise resolves when the source may continue. */
  publish(output: Output): Promise<unknown> | undefined {
    if (this.#listeners.size === 0) {
      this.#keep(output);
      return undefined;
    }
    return Promise.all([...this.#listeners].map((listener) => listener(output)));
  }

  /** Delivers the kept output, then everything that follows, until the returned function is called. */
  subscribe(listener: Listener): () => void {
    const kept = this.#kept;
    this.#kept = [];
    this.#keptCharacters = 0;
    this.#listeners.add(listener);
    for (const output of kept) void listener(output);
    return () => this.#listeners.delete(listener);
  }

  #keep(output: Output): void {
    this.#kept.push(output);
    this.#keptCharacters += sizeOf(output);
    while (this.#keptCharacters > MAX_KEPT_CHARACTERS && this.#kept.length > 1) {
      const oldest = this.#kept.shift();
      if (oldest !== undefined) this.#keptCharacters -= sizeOf(oldest);
    }
  }
}

function sizeOf(output: Output): number {
  return Object.values(output).reduce((sum: number, text: string) => sum + text.length, 0);
}
