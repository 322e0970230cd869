import { createId } from '@ship/protocol';
import type { DurableEnvelope, SessionState } from '@ship/protocol';
import { evolveAll } from '@ship/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addLive, appendEvents, createFeed, oldestSeq, prependEvents } from './feed-state.ts';
import type { Feed } from './feed-state.ts';

const sessionId = createId('ses');
const turnId = createId('turn');
const log: DurableEnvelope[] = [
  {
    seq: 1,
    at: 1,
    type: 'session.created',
    version: 1,
    data: { sessionId, title: 'one', repository: '/r', model: 'a/b' },
  },
  ...Array.from({ length: 29 }, (_, index) => ({
    seq: index + 2,
    at: index + 2,
    type: 'session.renamed',
    version: 1,
    data: { title: `title ${index}` },
  })),
];
const stateAt = (seq: number): SessionState =>
  evolveAll(undefined, log.slice(0, seq)) ?? expect.fail('no state');
const opened = (seq: number, from: number): Feed =>
  createFeed({ state: stateAt(seq), summary: undefined as never }, log.slice(from - 1, seq));
const seqs = (feed: Feed) => feed.events.map(({ seq }) => seq);
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('the feed of a session', () => {
  it('[WB5] ends with the same state despite repeated, late or missing events', () => {
    const slices = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 29 }), fc.integer({ min: 1, max: 10 })),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(slices, (given) => {
        let feed = opened(5, 3);
        for (const [start, length] of given) {
          feed = appendEvents(feed, log.slice(start, start + length)).feed;
          expect(seqs(feed)).toEqual(range(3, feed.state.seq));
          expect(feed.state).toEqual(stateAt(feed.state.seq));
        }
        const caughtUp = appendEvents(feed, log.slice(feed.state.seq));
        expect(caughtUp).toMatchObject({ hasGap: false, feed: { state: stateAt(30) } });
      }),
    );
  });

  it('[WB5] adds nothing behind a gap, and reports the gap', () => {
    const { feed, hasGap } = appendEvents(opened(5, 1), log.slice(7, 9));
    expect([hasGap, feed.state.seq]).toEqual([true, 5]);
  });

  it('[WB5] older pages are prepended without a gap', () => {
    const feed = opened(30, 21);
    expect(oldestSeq(prependEvents(feed, log.slice(10, 20)))).toBe(11);
    expect(prependEvents(feed, log.slice(5, 12))).toBe(feed);
  });

  it('a streaming part ends with its finished event, or with the turn', () => {
    const delta = (partId: string) => ({
      type: 'part.delta' as const,
      data: { turnId, partId, field: 'text' as const, delta: 'abc' },
    });
    const streaming = addLive(addLive(opened(5, 1), [delta('p1'), delta('p2')]), [delta('p1')]);
    expect(streaming.live.get('p1')?.text).toBe('abcabc');
    const envelope = { seq: 6, at: 6, version: 1 };
    const part = appendEvents(streaming, [
      { ...envelope, type: 'text.finished', data: { partId: 'p1' } },
    ]).feed;
    expect([...part.live.keys()]).toEqual(['p2']);
    const turn = appendEvents(streaming, [
      { ...envelope, type: 'turn.finished', data: { turnId, outcome: { kind: 'completed' } } },
    ]).feed;
    expect(turn.live.size).toBe(0);
  });

  it('keeps only the end of a long output', () => {
    const event = {
      type: 'part.delta' as const,
      data: { turnId, partId: 'p', field: 'output' as const, delta: 'x'.repeat(50_000) },
    };
    const feed = addLive(opened(5, 1), [event, event, event]);
    expect(feed.live.get('p')?.text.length).toBe(60_000);
  });
});
