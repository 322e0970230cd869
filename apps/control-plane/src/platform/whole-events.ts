/** Server-sent events from a sandbox, handed on whole and in small groups. */

import { jsonValues } from './json-values.ts';

const NEWLINE = 10;

/** Handed on at once: what a reader parses before others get their turn. */
const GROUP_BYTES = 64_000;
const GROUP_EVENTS = 25;

/** An event below this cannot have enough values to matter. */
const LARGE_BYTES = 20_000;
/**
 * Of one event: objects, lists and their entries. The largest honest events are long texts with a few hundred values.
 */
const MAX_VALUES = 20_000;

interface Options {
  maxBytes: number;
  tooLong: () => Error;
  /** Paid for what was read, in whatever pieces it came, and for the events of each group before it is handed on. */
  pace: (bytes: number, events: number) => Promise<void>;
}

/**
 * The same stream, cut at the ends of events. A reader that keeps what it has of an event, and looks through all of it again
 * with every piece, would otherwise take seconds for one that comes in a thousand pieces. Events with too many values are left
 * out; one that is too long ends the stream.
 */
export function wholeEvents(
  body: ReadableStream<Uint8Array>,
  { maxBytes, tooLong, pace }: Options,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cutter = new EventCutter();
  let unpaidBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const group = cutter.next();
          if (group !== undefined) {
            await pace(group.read, group.events);
            unpaidBytes = 0;
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
          unpaidBytes += value.length;
          if (unpaidBytes >= GROUP_BYTES) {
            await pace(unpaidBytes, 0);
            unpaidBytes = 0;
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
  /** With what was left out. */
  read: number;
  events: number;
}

class EventCutter {
  /** Whole events that were not handed on yet. */
  readonly #whole: Uint8Array[] = [];
  /** Pieces of the event that is not whole yet. */
  #pieces: Uint8Array[] = [];
  #held = 0;

  /** How many bytes are held of an event that is not whole yet. */
  add(chunk: Uint8Array): number {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
      const before = at > from ? chunk[at - 1] : this.#pieces.at(-1)?.at(-1);
      if (before !== NEWLINE) continue;
      this.#hold(chunk.subarray(from, at + 1));
      this.#whole.push(joined(this.#pieces, this.#held));
      this.#pieces = [];
      this.#held = 0;
      from = at + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    return this.#held;
  }

  next(): Group | undefined {
    if (this.#whole.length === 0) return undefined;
    let read = 0;
    let events = 0;
    for (const { length } of this.#whole) {
      if (events > 0 && (events >= GROUP_EVENTS || read + length > GROUP_BYTES)) break;
      read += length;
      events += 1;
    }
    const kept = this.#whole.splice(0, events).filter((event) => !hasTooManyValues(event));
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
