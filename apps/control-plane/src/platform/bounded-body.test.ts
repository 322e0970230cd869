import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Meter,
  boundedAnswer,
  boundedStream,
  parsedJson,
  perEnvelope,
  wholeBody,
} from './bounded-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const envelope = (length: number, body = length) => {
  const message = new Uint8Array(5 + body);
  new DataView(message.buffer).setUint32(1, length);
  return message;
};
const tooLong = () => new Error('too long');

function streamOf(...chunks: Uint8Array[]) {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = chunks.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
    cancel: () => void (cancelled = true),
  });
  return { body, wasCancelled: () => cancelled };
}

const measure = (meter: Meter, chunks: readonly Uint8Array[]) =>
  chunks.map((chunk) => meter(chunk));

describe('meters', () => {
  it('[OUT4] a whole body counts in full', () => {
    expect(measure(wholeBody(), [bytes('ab'), bytes(''), bytes('c')])).toEqual([2, 2, 3]);
  });

  it('[OUT6] JSON counts its text, and more for each value', () => {
    const { meter } = parsedJson();
    expect(measure(meter, [bytes('["a,'), bytes('b"'), bytes(',[]]')])).toEqual([68, 70, 202]);
  });

  it('[OUT4] a Connect stream counts its largest announced message, however it is cut', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 50 }), (lengths, step) => {
        const all = Uint8Array.from(lengths.flatMap((length) => [...envelope(length)]));
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < all.length; at += step) chunks.push(all.subarray(at, at + step));
        const held = measure(perEnvelope(), chunks);
        expect(Math.max(0, ...held)).toBe(Math.max(0, ...lengths));
      }),
    );
    expect(measure(perEnvelope(), [envelope(0xff_ff_ff_ff, 0)])).toEqual([0xff_ff_ff_ff]);
  });
});

const bound = (maxBytes: number) => ({ meter: wholeBody(), maxBytes, tooLong });
const answer = (headers: Record<string, string>) =>
  new Response(streamOf(bytes('abcdef')).body, { headers, status: 201 });

describe('a bounded body', () => {
  it('[OUT4] passes a body that fits unchanged', async () => {
    const { body } = streamOf(bytes('ab'), bytes('cd'));
    expect(await new Response(boundedStream(body, bound(4))).text()).toBe('abcd');
  });

  it('[OUT4] ends with an error beyond its limit, and cancels its source', async () => {
    const { body, wasCancelled } = streamOf(bytes('ab'), bytes('cd'), bytes('ef'));
    await expect(new Response(boundedStream(body, bound(3))).text()).rejects.toThrow('too long');
    expect(wasCancelled()).toBe(true);
  });

  it('[OUT4] cancels its source with its reader, and never reads ahead', async () => {
    const { body, wasCancelled } = streamOf(bytes('ab'), bytes('cd'), bytes('ef'));
    const meter = wholeBody();
    let seen = 0;
    const counted: Meter = (chunk) => (seen = meter(chunk));
    const reader = boundedStream(body, { ...bound(99), meter: counted }).getReader();
    await reader.read();
    expect(seen).toBe(2);
    await reader.cancel();
    expect(wasCancelled()).toBe(true);
  });

  it('[OUT4] trusts a declared length, unless the body is compressed', async () => {
    const short = answer({ 'content-length': '3' });
    expect(boundedAnswer(short, bound(3))).toBe(short);
    const packed = boundedAnswer(
      answer({ 'content-length': '3', 'content-encoding': 'gzip', 'x-kept': 'yes' }),
      bound(3),
    );
    expect(packed.status).toBe(201);
    expect(Object.fromEntries(packed.headers)).toEqual({ 'x-kept': 'yes' });
    await expect(packed.text()).rejects.toThrow('too long');
    await expect(boundedAnswer(answer({}), bound(3)).text()).rejects.toThrow('too long');
    const empty = new Response(null);
    expect(boundedAnswer(empty, bound(0))).toBe(empty);
  });
});
