import { TERMINAL_TAIL_BYTES } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { FlowWindow } from './flow-window.ts';
import { InputQueue } from './input-queue.ts';
import { type OutputPart, TailGate, TailReader } from './tail.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const mark = (length: number | string) => `\u001b_ship-tail;${length}\u001b\\`;

/** Joins adjacent live parts: how live output is cut does not matter. */
function read(chunks: readonly Uint8Array[]): [OutputPart['kind'], string][] {
  const reader = new TailReader();
  const seen: [OutputPart['kind'], string][] = [];
  for (const part of chunks.flatMap((chunk) => reader.push(chunk))) {
    const text = new TextDecoder('latin1').decode(part.bytes);
    const last = seen.at(-1);
    if (last?.[0] === 'live' && part.kind === 'live') last[1] += text;
    else seen.push([part.kind, text]);
  }
  return seen;
}

describe('TailReader', () => {
  it('[TM5] separates the tail from live output, wherever the chunks are cut', () => {
    const stream = bytes(`before${mark(5)}a\u001b[mbafter${mark(0)}end`);
    const expected = [
      ['live', 'before'],
      ['tail', 'a\u001b[mb'],
      ['live', 'after'],
      ['tail', ''],
      ['live', 'end'],
    ];
    for (let size = 1; size <= stream.length; size++) {
      const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
        stream.subarray(index * size, (index + 1) * size),
      );
      expect({ size, seen: read(chunks) }).toEqual({ size, seen: expected });
    }
  });

  it('a program that writes such a mark itself hides at most what fits into a tail', () => {
    for (const length of ['x', '', '-1', TERMINAL_TAIL_BYTES + 1, '99999999999'])
      expect(read([bytes(`a${mark(length)}b`)])).toEqual([['live', `a${mark(length)}b`]]);
  });

  it('other sequences pass without delay', () => {
    const reader = new TailReader();
    expect(reader.push(bytes('\u001b[31mred\u001b_other\u001b\\'))).toHaveLength(1);
  });
});

describe('TailGate', () => {
  const live: OutputPart = { kind: 'live', bytes: bytes('live') };
  const tail: OutputPart = { kind: 'tail', bytes: bytes('tail') };

  it('[TM2] passes the tail once, and live output only after it', () => {
    const gate = new TailGate(true, 0);
    expect([live, tail, tail, live].map((part) => gate.passes(part, 10))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('[TM3] drops a tail that another viewer requested', () => {
    const gate = new TailGate(false, 0);
    expect([tail, live, tail].map((part) => gate.passes(part, 10))).toEqual([false, true, false]);
  });

  it('[TM2] passes the tail of a slow sandbox however late, unless live output was shown before it', () => {
    const MINUTE_MS = 60_000;
    expect(new TailGate(true, 0).passes(tail, MINUTE_MS)).toBe(true);
    const gate = new TailGate(true, 0);
    expect(gate.passes(live, MINUTE_MS)).toBe(true);
    expect(gate.passes(tail, MINUTE_MS)).toBe(false);
  });
});

describe('flow window', () => {
  it('[TM4] a reader waits while too much is in flight, but not for a viewer that left', async () => {
    const window = new FlowWindow(100);
    window.sent(99);
    await window.room();
    window.sent(1);
    let isFree = false;
    const waiting = window.room().then(() => (isFree = true));
    await Promise.resolve();
    expect(isFree).toBe(false);
    expect(window.acknowledged(1)).toBe(true);
    await waiting;
    expect(window.acknowledged(100)).toBe(false);
    window.sent(500);
    const gone = window.room();
    window.close();
    await gone;
  });
});

describe('input queue', () => {
  it('input arrives in order, one call at a time, and the queue is bounded', async () => {
    const calls: string[] = [];
    const first = Promise.withResolvers<void>();
    const input = new InputQueue(
      async (typed) => {
        calls.push(new TextDecoder().decode(typed));
        if (calls.length === 1) await first.promise;
      },
      () => undefined,
    );
    for (const key of 'abc') input.push(key);
    expect(calls).toEqual(['a']);
    expect(input.push('x'.repeat(2 * 1024 * 1024))).toBe(false);
    first.resolve();
    await input.idle();
    expect(calls).toEqual(['a', 'bc']);
  });

  it('reports input that cannot be written', async () => {
    const reported: unknown[] = [];
    const input = new InputQueue(
      () => Promise.reject(new Error('gone')),
      (thrown) => reported.push(thrown),
    );
    input.push('a');
    await input.idle();
    expect(reported).toHaveLength(1);
  });
});
