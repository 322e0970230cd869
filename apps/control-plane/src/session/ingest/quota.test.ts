import { NOTHING_RECORDED, type RecordingLimits, sessionEvent } from '@ship/core';
import { SESSION_EVENTS, type SessionEvent, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { batchesOf } from './batches.ts';
import { draft } from './draft.ts';
import { RecordingQuota } from './quota.ts';
import { finishedTool } from './tool-events.ts';

const turnId = createId('turn');
const place = { turnId, subagentId: null };
const limits: RecordingLimits = {
  turn: { events: 3, bytes: 1_000_000, artifacts: 1, artifactBytes: 1_000_000 },
  session: { events: 100, bytes: 1_000_000, artifacts: 10, artifactBytes: 1_000_000 },
  reserve: { events: 2, bytes: 1_000_000 },
  cut: { events: 4, bytes: 1_000_000 },
};
const quota = () =>
  new RecordingQuota(turnId, limits, { turn: NOTHING_RECORDED, session: NOTHING_RECORDED });

const started = (partId: string) =>
  sessionEvent('tool.started', { ...place, partId, tool: 'bash', title: '', input: 'in' });
const signal = {
  kind: 'tool',
  sessionId: 's',
  partId: 'p',
  callId: 'c',
  tool: 'bash',
  title: '',
  input: {},
  status: 'completed',
  output: 'printed',
  outputPath: null,
  exitCode: 0,
  durationMs: 1,
  edits: [],
  diff: 'changed',
  childSessionId: null,
} as const;
const finished = (partId: string) =>
  finishedTool(place, partId, { ...signal, edits: [] }, 'completed');
const answer = sessionEvent('text.finished', {
  ...place,
  partId: 'p',
  kind: 'text',
  text: 'answer',
  isPartial: false,
  link: null,
});

/** The events that are stored, as the recorder does it. */
function store(quotaOf: RecordingQuota, events: readonly SessionEvent[]): SessionEvent[] {
  return events.flatMap((event) => {
    const admitted = quotaOf.admit(draft(event));
    if (admitted === null) return [];
    quotaOf.note(admitted.event);
    return [admitted.event];
  });
}

describe('the quota of a turn', () => {
  it('[RL2] records everything up to the limit, and reports nothing', () => {
    const one = quota();
    expect(store(one, [started('a'), finished('a'), started('b')])).toHaveLength(3);
    expect(one.limit).toBeNull();
    expect([...one.limitEvents(false), ...one.limitEvents(true)]).toEqual([]);
  });

  it('[RL3] beyond it, drops calls with their end; one that had started ends without its output', () => {
    const one = quota();
    store(one, [started('a'), finished('a'), started('b')]);
    expect(store(one, [started('c'), finished('c')])).toEqual([]);
    expect(store(one, [finished('b'), answer])).toMatchObject([
      { type: 'tool.finished', data: { partId: 'b', output: '', diff: '', outputBytes: 7 } },
      { type: 'text.finished', data: { text: 'answer' } },
    ]);
  });

  it('[RL5] reports once when it happens and once at the end, with everything that was dropped', () => {
    const one = quota();
    store(one, [started('a'), finished('a'), started('b'), started('c')]);
    const [first] = one.limitEvents(false);
    expect(first?.event.data).toMatchObject({ scope: 'turn', limit: 'events', isFinal: false });
    expect(one.limitEvents(false)).toEqual([]);
    store(one, [finished('c')]);
    const [last] = one.limitEvents(true);
    expect(last?.event.data).toMatchObject({ isFinal: true, cut: { events: 2 } });
    const { data } = SESSION_EVENTS['recording.limited'];
    expect(data.safeParse(last?.event.data).success).toBe(true);
  });

  it('[RL4] detects a flood after enough was dropped; then drops even answers, and closes what is open', () => {
    const one = quota();
    store(one, [started('a'), started('b'), started('c')]);
    store(one, [started('d'), started('e'), started('f'), started('g')]);
    expect(one.isFlooded).toBe(false);
    store(one, [started('h')]);
    expect(one.isFlooded).toBe(true);
    expect(store(one, [answer])).toEqual([]);
    expect(store(one, [finished('a')])).toHaveLength(1);
  });

  it('[RL2] long outputs have a separate limit; streaming continues', () => {
    const one = quota();
    expect(one.hasArtifactRoom && one.admitsArtifact(500)).toBe(true);
    one.note(finishedWithLink());
    expect(one.hasArtifactRoom).toBe(false);
    expect(one.admitsArtifact(500)).toBe(false);
    expect(one.admitsLive(10)).toBe(true);
    expect(one.limitEvents(true)[0]?.event.data).toMatchObject({
      limit: 'artifacts',
      cut: { artifacts: 1, artifactBytes: 500, events: 0 },
    });
  });

  it('[RL3] once events are dropped, streaming text is dropped and counted too', () => {
    const one = quota();
    store(one, [started('a'), started('b'), started('c'), started('d')]);
    expect(one.admitsLive(1_000)).toBe(false);
    expect(one.limitEvents(true)[0]?.event.data).toMatchObject({ cut: { events: 1 } });
  });
});

function finishedWithLink(): SessionEvent {
  const event = finished('x');
  if (event.type !== 'tool.finished') throw new Error('another event');
  return { ...event, data: { ...event.data, link: '/link', outputBytes: 500 } };
}

const tool = (output: string) => ({ ...signal, output, edits: [] });

describe('batches', () => {
  it('[RL6] are bounded by count and by size, keep the order and lose nothing', () => {
    const short = Array.from({ length: 60 }, (_, index) => tool(String(index)));
    const batches = [...batchesOf(short)];
    expect(batches.map(({ length }) => length)).toEqual([25, 25, 10]);
    expect(batches.flat()).toEqual(short);
    const long = [tool('x'.repeat(90_000)), tool('x'.repeat(90_000)), tool('x'.repeat(900_000))];
    expect([...batchesOf(long)].map(({ length }) => length)).toEqual([1, 1, 1]);
    expect([...batchesOf([])]).toEqual([]);
  });
});
