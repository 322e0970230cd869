import { createId } from '@ship/protocol';
import type { DurableEnvelope } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { ItemList } from './items.ts';
import { rowsOf, summaryText, withLive } from './rows.ts';
import { placementOf } from './views/placement.ts';

const [first, second] = [createId('turn'), createId('turn')];
const promptId = createId('prm');
let seq = 0;
const event = (type: string, data: object, version = 1): DurableEnvelope => {
  seq += 1;
  return { seq, at: seq * 1000, type, version, data };
};
const started = (turnId: string) => event('turn.started', { turnId, promptId, attempt: 1 });
const finished = (turnId: string, outcome: object = { kind: 'completed' }) =>
  event('turn.finished', { turnId, outcome }, 2);
const text = (turnId: string, partId: string, kind = 'text') =>
  event('text.finished', {
    turnId,
    subagentId: null,
    partId,
    kind,
    text: partId,
    isPartial: false,
    link: null,
  });
const tool = (turnId: string, partId: string) => ({
  turnId,
  subagentId: null,
  partId,
  tool: 'bash',
  title: 'npm test',
});
const toolStarted = (turnId: string, partId: string) =>
  event('tool.started', { ...tool(turnId, partId), input: '{}' });
const toolFinished = (turnId: string, partId: string) =>
  event('tool.finished', {
    ...tool(turnId, partId),
    status: 'completed',
    output: 'ok',
    outputBytes: 2,
    link: null,
    exitCode: 0,
    durationMs: 5,
    edits: [{ path: 'a.ts', additions: 1, deletions: 0 }],
    diff: '',
    callHash: 'c',
    resultHash: 'r',
  });

const log = [
  started(first),
  text(first, 'thinking', 'reasoning'),
  text(first, 'plan'),
  toolStarted(first, 't1'),
  toolFinished(first, 't1'),
  text(first, 'answer'),
  finished(first),
  started(second),
  toolStarted(second, 't2'),
];
const list = (events: readonly DurableEnvelope[]) => {
  const items = new ItemList(placementOf);
  items.add(events);
  return items.items;
};
const noneOpen = () => false;
const keys = (rows: ReturnType<typeof withLive>) => rows.map(({ key }) => key);

describe('the timeline', () => {
  it('a plan that is also the answer is shown once', () => {
    const turnId = createId('turn');
    const planned = (words: string) => [
      started(turnId),
      text(turnId, 'thinking', 'reasoning'),
      text(turnId, 'the plan'),
      event('plan.proposed', { turnId, planId: 'p', text: words }),
      finished(turnId),
    ];
    const kept = (words: string) => keys(rowsOf(list(planned(words)), noneOpen));
    expect(kept('the plan')).not.toContain('part:the plan');
    expect(kept('another plan')).toContain('part:the plan');
  });

  it('a text goes before the tools that it announces, though it is logged after them', () => {
    const inOrder = new ItemList(placementOf);
    const turnId = createId('turn');
    inOrder.add([
      started(turnId),
      text(turnId, 'prt_1'),
      toolStarted(turnId, 'prt_3'),
      toolStarted(turnId, 'prt_4'),
      text(turnId, 'prt_2'),
    ]);
    inOrder.add([toolFinished(turnId, 'prt_4'), toolFinished(turnId, 'prt_3')]);
    expect(inOrder.items.map(({ key, events }) => [key.slice(-5), events.length])).toEqual([
      [turnId.slice(-5), 1],
      ['prt_1', 1],
      ['prt_2', 1],
      ['prt_3', 2],
      ['prt_4', 2],
    ]);
  });

  it('[WB6] a finished turn is its prompt, one row and its answer; the running one is shown in full', () => {
    expect(keys(rowsOf(list(log), noneOpen))).toEqual([
      `turn:${first}`,
      `summary:${first}`,
      'part:answer',
      `turn:${second}`,
      'part:t2',
    ]);
  });

  it('[WB6] expanded, it shows everything in order', () => {
    expect(keys(rowsOf(list(log), (turnId) => turnId === first)).slice(0, 6)).toEqual([
      `turn:${first}`,
      `summary:${first}`,
      'part:thinking',
      'part:plan',
      'part:t1',
      'part:answer',
    ]);
  });

  it('counts tool calls and files', () => {
    const summary = rowsOf(list(log), noneOpen).find((row) => row.kind === 'summary');
    expect(summary).toMatchObject({ summary: { tools: 1, files: 1, durationMs: 6000 } });
    if (summary?.kind !== 'summary') return expect.fail('no summary');
    expect(summaryText(summary.summary)).toBe('Worked for 6 s · 1 tool call · 1 file changed');
  });

  it('[WB6] a failure is never hidden', () => {
    const error = { code: 'internal', category: 'fatal', message: 'm', remedy: 'r' };
    const rows = rowsOf(
      list([started(first), toolStarted(first, 't'), finished(first, { kind: 'failed', error })]),
      noneOpen,
    );
    expect(keys(rows)).toContain(`end:${first}`);
  });

  it('a turn whose start is not loaded is shown in full', () => {
    expect(keys(rowsOf(list(log.slice(3, 7)), noneOpen))).toEqual([
      'part:t1',
      'part:answer',
      `end:${first}`,
    ]);
  });

  it('[WB13] a streaming part has one row, at its final position', () => {
    const before = rowsOf(list(log.slice(0, 5)), noneOpen);
    const streaming = withLive(before, ['answer']);
    const ended = withLive(rowsOf(list(log.slice(0, 6)), noneOpen), ['answer']);
    expect(keys(streaming)).toEqual(keys(ended));
    expect([streaming.at(-1)?.kind, ended.at(-1)?.kind]).toEqual(['live', 'item']);
    expect(withLive(before, [])).toBe(before);
  });

  it('adding events in pieces gives the same entries, and unchanged ones keep their identity', () => {
    const pieces = new ItemList(placementOf);
    pieces.add(log.slice(0, 4));
    const before = pieces.items;
    for (const one of log.slice(4)) pieces.add([one]);
    expect(pieces.items).toEqual(list(log));
    expect(pieces.items[0]).toBe(before[0]);
    expect(pieces.items).not.toBe(before);
  });
});
