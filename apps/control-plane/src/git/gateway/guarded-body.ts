import { PushTooLarge } from './push-allowance.ts';

/** A client that opens a request and then says nothing must not hold a place for ever. */
export const LIMITS = {
  /** For all of a push's commands, which git sends at once. */
  commandsMs: 10_000,
  /** Between two pieces of a body. */
  idleMs: 60_000,
  /** For a whole pack. A forge that gives up on a silent client ends it long before. */
  packMs: 3_600_000,
  /** A fetch asks with lists of commits, uncompressed here; a pack goes the other way. */
  fetchRequestBytes: 64 * 1024 * 1024,
  /** Of a push that is refused anyway, read so that git gets to see why. */
  drainedBytes: 512 * 1024 * 1024,
} as const;

export class TooSlow extends Error {}
export class TooLong extends Error {}

interface BodyLimits {
  maxBytes?: number;
  meter?: Meter;
  screen?: Screen;
}

/** Sees a body before it goes on, and may refuse it. */
interface Screen {
  feed(chunk: Uint8Array): Promise<Uint8Array>;
  end(): void;
}

type Meter = (bytes: number) => Promise<void>;

/** What is read at once. The platform's own measure is 4 KB: two hundred megabytes would be fifty thousand calls. */
const PIECE_BYTES = 256 * 1024;

/** Reads a body piece by piece, each within a time and all within a size. */
export class GuardedBody {
  readonly #reader: ReadableStreamBYOBReader | undefined;
  #buffer = new ArrayBuffer(PIECE_BYTES);
  #left: number;
  #meter: Meter | undefined;
  readonly #screen: Screen | undefined;
  /** Why it could not be read to its end; whoever sent it on only learns that something broke. */
  problem: Error | undefined;

  /** `meter` is called with the length of every piece, and throws when it is one too many. */
  constructor(
    body: ReadableStream<Uint8Array> | null,
    { maxBytes = Number.POSITIVE_INFINITY, meter, screen }: BodyLimits = {},
  ) {
    this.#reader = body?.getReader({ mode: 'byob' });
    this.#left = maxBytes;
    this.#meter = meter;
    this.#screen = screen;
  }

  /** Good until the next call: the same memory is filled again, or it would grow with what passes. */
  async read(withinMs: number, atLeast = 1): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined;
    const asked = this.#reader.readAtLeast(atLeast, new Uint8Array(this.#buffer));
    const { value, done } = await within(asked, withinMs);
    if (done) return undefined;
    this.#buffer = value.buffer;
    this.#left -= value.length;
    if (this.#left < 0) throw new TooLong();
    await this.#meter?.(value.length);
    return value;
  }

  /** What is left, after what was read already; it moves only as fast as its reader takes it. */
  stream(first: Uint8Array): ReadableStream<Uint8Array> {
    // The platform's own kind: of a stream of our making every piece is copied and waited for three times.
    const { readable, writable } = new IdentityTransformStream();
    void this.#send(first, writable);
    return readable;
  }

  async #send(first: Uint8Array, writable: WritableStream<Uint8Array>): Promise<void> {
    const writer = writable.getWriter();
    try {
      if (first.length > 0) await writer.write(first);
      // A pack comes in full pieces, as few as can be: each one passes through this script.
      const isPack = this.#meter !== undefined;
      const deadline = Date.now() + LIMITS.packMs;
      for (;;) {
        const withinMs = isPack ? Math.max(0, deadline - Date.now()) : LIMITS.idleMs;
        const chunk = await this.read(withinMs, isPack ? PIECE_BYTES : 1);
        if (chunk === undefined) break;
        const passed = this.#screen === undefined ? chunk : await this.#screen.feed(chunk);
        if (passed.length > 0) await writer.write(passed);
      }
      this.#screen?.end();
      await writer.close();
    } catch (error) {
      this.problem = error instanceof Error ? error : new Error(String(error));
      // What is too large is read on, by `drain`. Either side may be the one that broke it, and is closed already.
      const end = error instanceof PushTooLarge ? undefined : this.cancel();
      await Promise.allSettled([writer.abort(error), end]);
    }
  }

  /** Reads and forgets: git reads the answer only after it has sent everything. */
  async drain(): Promise<void> {
    this.#meter = undefined;
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
