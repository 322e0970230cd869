/** Memory limits for bodies from outside that are buffered whole or message by message. */
import { jsonValues } from './json-values.ts';

/** Returns how many bytes the reader holds after this chunk. */
export type Meter = (chunk: Uint8Array) => number;

/** For a reader that buffers the whole body. */
export function wholeBody(): Meter {
  let total = 0;
  return ({ length }) => (total += length);
}

/** A parsed value takes at least this much memory besides its text. */
const VALUE_BYTES = 64;

/** For JSON: the reader holds the text and then the parsed values. */
export function parsedJson(): Pick<Bound, 'meter' | 'bytesPerByte'> {
  const values = jsonValues();
  let total = 0;
  const meter = (chunk: Uint8Array) => (total += chunk.length + VALUE_BYTES * values(chunk));
  return { meter, bytesPerByte: 1 + VALUE_BYTES };
}

const ENVELOPE_HEAD_BYTES = 5;

/** For Connect streams: each message starts with its length, and the reader allocates that much. */
export function perEnvelope(): Meter {
  let head: number[] = [];
  let missing = 0;
  return (chunk) => {
    let largest = 0;
    for (let at = 0; at < chunk.length;) {
      if (missing > 0) {
        const taken = Math.min(missing, chunk.length - at);
        missing -= taken;
        at += taken;
        continue;
      }
      head.push(chunk[at] ?? 0);
      at += 1;
      if (head.length < ENVELOPE_HEAD_BYTES) continue;
      // The first byte holds flags.
      missing = head.slice(1).reduce((length, byte) => length * 256 + byte, 0);
      largest = Math.max(largest, missing);
      head = [];
    }
    return largest;
  };
}

interface Bound {
  meter: Meter;
  maxBytes: number;
  tooLong: () => Error;
  /** Upper bound of reader memory per body byte; default 1. */
  bytesPerByte?: number;
  /** Awaited after every chunk, before the next is read. */
  throttle?: (bytes: number) => Promise<void>;
}

/** Reads only on demand (back pressure); beyond the limit it errors its reader and cancels the source. */
export function boundedStream(
  body: ReadableStream<Uint8Array>,
  { meter, maxBytes, tooLong, throttle }: Bound,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        if (meter(value) > maxBytes) {
          const error = tooLong();
          controller.error(error);
          await reader.cancel(error).catch(() => undefined);
          return;
        }
        controller.enqueue(value);
        await throttle?.(value.length);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The same response with a limit on what its reader buffers. */
export function boundedAnswer(response: Response, bound: Bound): Response {
  const { body, status, statusText } = response;
  if (body === null || declaresAtMost(response, bound.maxBytes / (bound.bytesPerByte ?? 1)))
    return response;
  const headers = new Headers(response.headers);
  // The stream is already decoded.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  return new Response(boundedStream(body, bound), { status, statusText, headers });
}

/** An uncompressed body cannot be longer than its content-length, so most need no counting. */
function declaresAtMost({ headers }: Response, maxBytes: number): boolean {
  const declared = headers.get('content-length');
  return declared !== null && !headers.has('content-encoding') && Number(declared) <= maxBytes;
}
