import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wholeEvents } from './whole-events.ts';

const encoder = new TextEncoder();
const MAX_BYTES = 1_000_000;
const tooLong = () => new Error('too long');

/** The pieces that a reader gets, and the bytes and events that were throttled. */
async function read(text: string, step: number, maxBytes = MAX_BYTES) {
  const all = encoder.encode(text);
  let at = 0;
  let wasCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= all.length) return controller.close();
      controller.enqueue(all.slice(at, at + step));
      at += step;
    },
    cancel: () => void (wasCancelled = true),
  });
  const paid = { bytes: 0, events: 0 };
  const throttle = async (bytes: number, events: number) => {
    paid.bytes += bytes;
    paid.events += events;
  };
  const pieces: string[] = [];
  const outcome = await (async () => {
    for await (const piece of wholeEvents(body, { maxBytes, tooLong, throttle }))
      pieces.push(new TextDecoder().decode(piece));
    return 'ended';
  })().catch((error: Error) => error.message);
  return { pieces, paid, outcome, wasCancelled };
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

describe('events of a stream', () => {
  it('[OUT4] arrive whole, none lost, however the stream is cut', async () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 300 }), async (data, step) => {
        const all = data.map(event).join('');
        const { pieces, paid } = await read(all, step);
        expect(pieces.join('')).toBe(all);
        expect(pieces.every((piece) => piece.endsWith('\n\n'))).toBe(true);
        expect(paid).toEqual({ bytes: encoder.encode(all).length, events: data.length });
      }),
      { numRuns: 40 },
    );
  });

  it('[RL6] are passed on few at a time, and a long one in one piece', async () => {
    const small = await read(event({}).repeat(1_000), 100_000);
    expect(small.pieces.length).toBeGreaterThanOrEqual(40);
    const long = event('x'.repeat(500_000));
    const seen = await read(long, 1_000);
    expect(seen.pieces).toEqual([long]);
    // Once while it arrives, and once for parsing it.
    expect(seen.paid.bytes).toBeGreaterThan(1.8 * long.length);
  });

  it('[OUT4] that are too long end the stream for both sides', async () => {
    const seen = await read(event('a') + event('x'.repeat(5_000)), 100, 2_000);
    expect(seen).toMatchObject({ pieces: [event('a')], outcome: 'too long', wasCancelled: true });
  });

  it('[RL6] with too many values are dropped, and still throttled', async () => {
    const wide = event(Array.from({ length: 30_000 }, () => []));
    const seen = await read(event('a') + wide + event('b'), 1_000);
    expect(seen.pieces.join('')).toBe(event('a') + event('b'));
    expect(seen.paid.events).toBe(3);
    const text = event(',[{'.repeat(30_000));
    expect((await read(text, 1_000)).pieces).toEqual([text]);
  });
});
