/** Limits on bodies that come from outside and are held in memory: whole, or message by message. */
import { jsonValues } from './json-values.ts';

/** How many bytes a reader has to hold after this chunk. */
export type Meter = (chunk: Uint8Array) => number;

/** The reader keeps all of it. */
export function wholeBody(): Meter {
  let total = 0;
  return ({ length }) => (total += length);
}

/** What a parsed value takes besides its text, at least. */
const VALUE_BYTES = 64;

/** JSON: the reader keeps its text and then all that it says. */
export function parsedJson(): Pick<Bound, 'meter' | 'bytesPerByte'> {
  const values = jsonValues();
  let total = 0;
  const meter = (chunk: Uint8Array) => (total += chunk.length + VALUE_BYTES * values(chunk));
  return { meter, bytesPerByte: 1 + VALUE_BYTES };
}

const ENVELOPE_HEAD_BYTES = 5;

/** Connect's streams: each message says its length first, and the reader makes room for it. */
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
  /** The most that one byte of the body takes of the reader's memory; 1 unless told. */
  bytesPerByte?: number;
  /** After every piece, before the next is read. */
  pace?: (bytes: number) => Promise<void>;
}

/** Reads on only when its own reader does; beyond the limit both ends are given up. */
export function boundedStream(
  body: ReadableStream<Uint8Array>,
  { meter, maxBytes, tooLong, pace }: Bound,
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
        await pace?.(value.length);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The same answer with a limit on what its reader holds. */
export function boundedAnswer(answer: Response, bound: Bound): Response {
  const { body, status, statusText } = answer;
  if (body === null || saysAtMost(answer, bound.maxBytes / (bound.bytesPerByte ?? 1)))
    return answer;
  const headers = new Headers(answer.headers);
  // The stream is decoded already.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  return new Response(boundedStream(body, bound), { status, statusText, headers });
}

/** A body cannot be longer than it says, unless it is compressed: most need no counting. */
function saysAtMost({ headers }: Response, maxBytes: number): boolean {
  const said = headers.get('content-length');
  return said !== null && !headers.has('content-encoding') && Number(said) <= maxBytes;
}
