/** Passes server-sent events of a sandbox on, whole and in small groups. */

import { jsonValues } from './json-values.ts';

const NEWLINE = 10;

/** Limits of one group: a reader parses one group before other work gets its turn. */
const GROUP_BYTES = 64_000;
const GROUP_EVENTS = 25;

/** Smaller events cannot have enough values to matter. */
const LARGE_BYTES = 20_000;
/** Objects, arrays and their entries per event. The largest legitimate events are long texts with a few hundred values. */
const MAX_VALUES = 20_000;

interface Options {
  maxBytes: number;
  tooLong: () => Error;
  /** Awaited for the bytes read, however they are chunked, and for the events of each group before it is passed on. */
  throttle: (bytes: number, events: number) => Promise<void>;
}

/**
 * The same stream, cut at event boundaries. A reader that buffers a partial event and rescans it with every chunk would
 * otherwise take seconds for an event in a thousand chunks. Events with too many values are dropped; one that is too long
 * ends the stream.
 */
export function wholeEvents(
  body: ReadableStream<Uint8Array>,
  { maxBytes, tooLong, throttle }: Options,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cutter = new EventCutter();
  let unthrottledBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const group = cutter.next();
          if (group !== undefined) {
            await throttle(group.read, group.events);
            unthrottledBytes = 0;
            if (group.bytes.length === 0) continue;
            controller.enqueue(group.bytes);
            return;
          }
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return;
          }
          const heldBytes = cutter.add(value);
          unthrottledBytes += value.length;
          if (unthrottledBytes >= GROUP_BYTES) {
            await throttle(unthrottledBytes, 0);
            unthrottledBytes = 0;
          }
          if (heldBytes <= maxBytes) continue;
          const error = tooLong();
          controller.error(error);
          await reader.cancel(error).catch(() => undefined);
          return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

interface Group {
  bytes: Uint8Array;
  /** Bytes read, including dropped events. */
  read: number;
  events: number;
}

class EventCutter {
  /** Complete events that were not passed on yet. */
  readonly #complete: Uint8Array[] = [];
  /** Pieces of the incomplete event. */
  #pieces: Uint8Array[] = [];
  #held = 0;

  /** Returns how many bytes of the incomplete event are held. */
  add(chunk: Uint8Array): number {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
      const before = at > from ? chunk[at - 1] : this.#pieces.at(-1)?.at(-1);
      if (before !== NEWLINE) continue;
      this.#hold(chunk.subarray(from, at + 1));
      this.#complete.push(joined(this.#pieces, this.#held));
      this.#pieces = [];
      this.#held = 0;
      from = at + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    return this.#held;
  }

  next(): Group | undefined {
    if (this.#complete.length === 0) return undefined;
    let read = 0;
    let events = 0;
    for (const { length } of this.#complete) {
      if (events > 0 && (events >= GROUP_EVENTS || read + length > GROUP_BYTES)) break;
      read += length;
      events += 1;
    }
    const kept = this.#complete.splice(0, events).filter((event) => !hasTooManyValues(event));
    const bytes = joined(
      kept,
      kept.reduce((sum, { length }) => sum + length, 0),
    );
    return { bytes, read, events };
  }

  #hold(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#held += piece.length;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function hasTooManyValues(event: Uint8Array): boolean {
  return event.length > LARGE_BYTES && jsonValues()(event) > MAX_VALUES;
}
