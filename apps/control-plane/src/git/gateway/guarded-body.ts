/** A client that opens a request and then says nothing must not hold a place for ever. */
export const LIMITS = {
  /** For all of a push's commands, which git sends at once. */
  commandsMs: 10_000,
  /** Between two pieces of a body. */
  idleMs: 60_000,
  /** A fetch asks with lists of commits; a pack goes the other way. */
  fetchRequestBytes: 32 * 1024 * 1024,
  /** Of a push that is refused anyway, read so that git gets to see why. */
  drainedBytes: 512 * 1024 * 1024,
} as const;

export class TooSlow extends Error {}
export class TooLong extends Error {}

/** Reads a body piece by piece, each within a time and all within a size. */
export class GuardedBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #left: number;

  constructor(body: ReadableStream<Uint8Array> | null, maxBytes = Number.POSITIVE_INFINITY) {
    this.#reader = body?.getReader();
    this.#left = maxBytes;
  }

  async read(withinMs: number): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined;
    const { value, done } = await within(this.#reader.read(), withinMs);
    if (done) return undefined;
    this.#left -= value.length;
    if (this.#left < 0) throw new TooLong();
    return value;
  }

  /** What is left, after what was read already; it moves only as fast as its reader takes it. */
  stream(first: Uint8Array): ReadableStream<Uint8Array> {
    let pending: Uint8Array | undefined = first.length > 0 ? first : undefined;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const chunk = pending ?? (await this.read(LIMITS.idleMs));
          pending = undefined;
          if (chunk === undefined) controller.close();
          else controller.enqueue(chunk);
        },
        cancel: () => this.cancel(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Reads and forgets: git reads the answer only after it has sent everything. */
  async drain(): Promise<void> {
    for (let read = 0; read <= LIMITS.drainedBytes;) {
      const chunk = await this.read(LIMITS.idleMs);
      if (chunk === undefined) return;
      read += chunk.length;
    }
    await this.cancel();
  }

  async cancel(): Promise<void> {
    // What is cancelled because it failed fails here once more.
    await this.#reader?.cancel().catch(() => undefined);
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow()), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
