import { sessionEvent } from '@ship/core';
import { type LiveEvent, type SessionEvent, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { numbered } from './event-log.ts';
import { StreamBuffer } from './stream-buffer.ts';

const turnId = createId('turn');
const delta = (partId: string, text: string): LiveEvent => ({
  type: 'part.delta',
  data: { turnId, partId, field: 'text', delta: text },
});
const stored = (event: SessionEvent) => numbered([event], 0, 0);
const finished = (partId: string) =>
  stored(
    sessionEvent('text.finished', {
      turnId,
      subagentId: null,
      partId,
      kind: 'text',
      text: 'all of it',
      isPartial: false,
      link: null,
    }),
  );
const texts = (live: StreamBuffer) =>
  live.snapshot().map(({ data }) => `${data.partId}: ${data.delta}`);

describe('the stream buffer', () => {
  it('[RT13] collects deltas by part, until the part is in the log', () => {
    const live = new StreamBuffer();
    live.add([delta('a', 'one '), delta('b', 'x'), delta('a', 'two')]);
    expect(texts(live)).toEqual(['a: one two', 'b: x']);
    live.settle(finished('a'));
    expect(texts(live)).toEqual(['b: x']);
  });

  it.each([
    sessionEvent('turn.finished', { turnId, outcome: { kind: 'completed' } }),
    sessionEvent('turn.retry-scheduled', {
      turnId,
      nextAttemptAt: 0,
      error: {
        code: 'unavailable',
        category: 'transient',
        message: 'Away.',
        remedy: 'Wait.',
      },
    }),
  ])('[RT13] is over with its attempt ($type)', (event) => {
    const live = new StreamBuffer();
    live.add([delta('a', 'one')]);
    live.settle(stored(event));
    expect(texts(live)).toEqual([]);
  });

  it('[RT13] is bounded: the end of a long text, and a number of parts', () => {
    const live = new StreamBuffer();
    for (let i = 0; i < 40; i++) live.add([delta('long', 'x'.repeat(10_000))]);
    live.add([delta('long', 'end')]);
    const [long] = live.snapshot();
    expect(long?.data.delta).toHaveLength(60_000);
    expect(long?.data.delta.endsWith('xend')).toBe(true);
    for (let i = 0; i < 100; i++) live.add([delta(`part ${i}`, 'y')]);
    expect(live.snapshot()).toHaveLength(32);
  });
});
