import { PushTooLarge } from './push-allowance.ts';

/** A client that opens a request and then goes silent must not hold a slot forever. */
export const LIMITS = {
  /** For all commands of a push, which git sends at once. */
  commandsMs: 10_000,
  /** Between two chunks of a body. */
  idleMs: 60_000,
  /** For a whole pack. A forge that gives up on a silent client ends it long before. */
  packMs: 3_600_000,
  /** A fetch request lists commits, uncompressed here; the pack goes the other way. */
  fetchRequestBytes: 64 * 1024 * 1024,
  /** Of a refused push, read so that git shows the reason. */
  drainedBytes: 512 * 1024 * 1024,
} as const;

export class TooSlow extends Error {}
export class TooLong extends Error {}

interface BodyLimits {
  maxBytes?: number;
  meter?: Meter;
  screen?: Screen;
}

/** Checks a body before it is forwarded, and may refuse it. */
interface Screen {
  feed(chunk: Uint8Array): Promise<Uint8Array>;
  end(): void;
}

type Meter = (bytes: number) => Promise<void>;

/** The size of one read. The platform's default is 4 KB: two hundred megabytes would take fifty thousand calls. */
const CHUNK_BYTES = 256 * 1024;

/** Reads a body in chunks, each within a time limit and all within a size limit. */
export class GuardedBody {
  readonly #reader: ReadableStreamBYOBReader | undefined;
  #buffer = new ArrayBuffer(CHUNK_BYTES);
  #left: number;
  #meter: Meter | undefined;
  readonly #screen: Screen | undefined;
  /** Why reading failed; the forwarding side only sees that the stream broke. */
  problem: Error | undefined;

  /** `meter` is called with the length of every chunk, and throws beyond the limit. */
  constructor(
    body: ReadableStream<Uint8Array> | null,
    { maxBytes = Number.POSITIVE_INFINITY, meter, screen }: BodyLimits = {},
  ) {
    this.#reader = body?.getReader({ mode: 'byob' });
    this.#left = maxBytes;
    this.#meter = meter;
    this.#screen = screen;
  }

  /** Valid until the next call: the buffer is reused, or memory would grow with the stream. */
  async read(withinMs: number, atLeast = 1): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined;
    const reading = this.#reader.readAtLeast(atLeast, new Uint8Array(this.#buffer));
    const { value, done } = await within(reading, withinMs);
    if (done) return undefined;
    this.#buffer = value.buffer;
    this.#left -= value.length;
    if (this.#left < 0) throw new TooLong();
    await this.#meter?.(value.length);
    return value;
  }

  /** The rest of the body after what was read already, with back pressure from its reader. */
  stream(first: Uint8Array): ReadableStream<Uint8Array> {
    // The platform's native stream: a JavaScript one would copy and await every chunk three times.
    const { readable, writable } = new IdentityTransformStream();
    void this.#send(first, writable);
    return readable;
  }

  async #send(first: Uint8Array, writable: WritableStream<Uint8Array>): Promise<void> {
    const writer = writable.getWriter();
    try {
      if (first.length > 0) await writer.write(first);
      // A pack is read in full chunks, as few as possible: each one passes through this script.
      const isPack = this.#meter !== undefined;
      const deadline = Date.now() + LIMITS.packMs;
      for (;;) {
        const withinMs = isPack ? Math.max(0, deadline - Date.now()) : LIMITS.idleMs;
        const chunk = await this.read(withinMs, isPack ? CHUNK_BYTES : 1);
        if (chunk === undefined) break;
        const passed = this.#screen === undefined ? chunk : await this.#screen.feed(chunk);
        if (passed.length > 0) await writer.write(passed);
      }
      this.#screen?.end();
      await writer.close();
    } catch (error) {
      this.problem = error instanceof Error ? error : new Error(String(error));
      // An oversized push is read on by `drain`. Either side may have failed, and may be closed already.
      const end = error instanceof PushTooLarge ? undefined : this.cancel();
      await Promise.allSettled([writer.abort(error), end]);
    }
  }

  /** Reads and discards: git reads the answer only after it has sent everything. */
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
    // A body that is cancelled because it failed fails here again.
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
