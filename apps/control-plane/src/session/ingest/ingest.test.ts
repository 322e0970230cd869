import { evolveAgent, INITIAL_AGENT, sessionEvent } from '@ship/core';
import { type DurableEvent, type SessionEvent, createId, knownEvent } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import type { AgentSignal, ToolSignal } from '../../agent/port.ts';
import { fitsInline, preview } from './bound.ts';
import { type Draft, settle } from './draft.ts';
import { Ingest } from './ingest.ts';
import { IngestMemory } from './memory.ts';

const turnId = createId('turn');
const sessionId = 'ses_root';

const tool = (changes: Partial<ToolSignal> = {}): ToolSignal => ({
  kind: 'tool',
  sessionId,
  partId: 'prt_tool',
  callId: 'call',
  tool: 'bash',
  title: 'ls',
  input: { command: 'ls' },
  status: 'completed',
  output: 'README.md',
  outputPath: null,
  exitCode: 0,
  durationMs: 5,
  edits: [],
  diff: '',
  childSessionId: null,
  ...changes,
});
const text = (isDone: boolean, words: string, partId = 'prt_text'): AgentSignal => ({
  kind: 'text',
  sessionId,
  partId,
  messageId: 'msg_answer',
  channel: 'text',
  text: words,
  isDone,
});
const noFile = () => Promise.reject(new Error('no file'));
const tokens = { input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

/** One of each signal, as in a whole turn. */
const TURN: AgentSignal[] = [
  { kind: 'prompt', sessionId, messageId: 'msg_prompt', createdAt: 1 },
  { kind: 'busy', sessionId },
  text(false, ''),
  { kind: 'delta', sessionId, partId: 'prt_text', delta: 'Hel' },
  { kind: 'delta', sessionId, partId: 'prt_text', delta: 'lo' },
  text(true, 'Hello'),
  tool({ status: 'running', output: '' }),
  tool({ status: 'running', output: 'READ' }),
  tool(),
  { kind: 'todos', sessionId, todos: [{ content: 'x', status: 'pending', priority: 'low' }] },
  { kind: 'question', sessionId, requestId: 'que_1', callId: 'call_q', questions: [] },
  {
    kind: 'permission',
    sessionId,
    requestId: 'per_1',
    callId: null,
    permission: 'bash',
    patterns: ['a'],
  },
  { kind: 'ask-closed', sessionId, requestId: 'que_1' },
  { kind: 'child', sessionId: 'ses_child', parentId: sessionId, title: 'child' },
  tool({ sessionId: 'ses_child', partId: 'prt_child' }),
  { kind: 'idle', sessionId: 'ses_child' },
  {
    kind: 'retrying',
    sessionId,
    attempt: 1,
    nextAttemptAt: 99,
    reason: { kind: 'rate-limited', message: 'Too Many Requests' },
  },
  { kind: 'compacted', sessionId, id: 'prt_compaction' },
  { kind: 'step', sessionId, partId: 'prt_step', reason: 'stop', tokens, costUsd: 0.1 },
  { kind: 'idle', sessionId },
];

function ingestOf(events: SessionEvent[] = [], isPriced = true): Ingest {
  const memory = new IngestMemory(sessionId);
  for (const [index, event] of events.entries()) memory.recall(durable(event, index));
  return new Ingest(turnId, memory, isPriced);
}

function durable(event: SessionEvent, index: number): DurableEvent {
  const known = knownEvent({ ...event, seq: index + 1, at: index });
  if (known === undefined) throw new Error(`not valid: ${JSON.stringify(event)}`);
  return known;
}

function takeAll(ingest: Ingest, signals: readonly AgentSignal[]): SessionEvent[] {
  return signals.flatMap((signal) => ingest.take(signal).drafts.map(({ event }) => event));
}

describe('ingest', () => {
  it('[IN1] every signal becomes its event once, in order', () => {
    const events = takeAll(ingestOf(), TURN);
    expect(events.map(({ type }) => type)).toEqual([
      'text.finished',
      'tool.started',
      'tool.finished',
      'todos.changed',
      'question.asked',
      'permission.asked',
      'ask.closed',
      'subagent.started',
      'tool.started',
      'tool.finished',
      'subagent.finished',
      'provider.retrying',
      'conversation.compacted',
      'step.finished',
    ]);
    events.forEach(durable);
  });

  it('[IN8] a retry of the provider says why', () => {
    const retry = takeAll(ingestOf(), TURN).find(({ type }) => type === 'provider.retrying');
    expect(retry?.data).toEqual({
      turnId,
      attempt: 1,
      nextAttemptAt: 99,
      reason: { kind: 'rate-limited', message: 'Too Many Requests' },
    });
  });

  it('[IN2] an ingested signal yields nothing again, in the same object and in one rebuilt from the log', () => {
    const ingest = ingestOf();
    const events = takeAll(ingest, TURN);
    expect(takeAll(ingest, TURN)).toEqual([]);
    expect(takeAll(ingestOf(events), TURN)).toEqual([]);
  });

  it('[IN2] wherever the log was interrupted, the rest follows and nothing comes twice', () => {
    const all = takeAll(ingestOf(), TURN);
    for (let kept = 0; kept <= all.length; kept++) {
      const before = all.slice(0, kept);
      const rest = takeAll(ingestOf(before), TURN);
      const types = [...before, ...rest].map(({ type }) => type);
      expect(types.sort()).toEqual(all.map(({ type }) => type).sort());
    }
  });

  it('[IN3] texts and command output stream as they come', () => {
    const ingest = ingestOf();
    const live = TURN.flatMap((signal) => ingest.take(signal).live);
    expect(live.map(({ data }) => [data.field, data.delta])).toEqual([
      ['text', 'Hel'],
      ['text', 'lo'],
      ['output', 'READ'],
    ]);
  });

  it('[IN4] ignores conversations of other turns', () => {
    const foreign = TURN.filter(({ kind }) => kind !== 'child').map((signal) => ({
      ...signal,
      sessionId: 'ses_other',
    }));
    expect(takeAll(ingestOf(), foreign)).toEqual([]);
    const orphan: AgentSignal = { kind: 'child', sessionId: 'x', parentId: 'y', title: '' };
    expect(takeAll(ingestOf(), [orphan])).toEqual([]);
  });

  it('[IN5] closes and keeps what was interrupted: texts, tools, sub-agents', () => {
    const ingest = ingestOf();
    takeAll(ingest, [
      text(false, ''),
      { kind: 'delta', sessionId, partId: 'prt_text', delta: 'Half a' },
      tool({ status: 'running' }),
      { kind: 'child', sessionId: 'ses_child', parentId: sessionId, title: 'child' },
    ]);
    const events = ingest.interrupt().map(({ event }) => event);
    expect(events).toMatchObject([
      { type: 'text.finished', data: { text: 'Half a', isPartial: true } },
      { type: 'tool.finished', data: { status: 'interrupted' } },
      { type: 'subagent.finished', data: { status: 'interrupted' } },
    ]);
    events.forEach(durable);
    expect(ingest.interrupt()).toEqual([]);
    expect(takeAll(ingest, [tool(), text(true, 'Half a thing')])).toEqual([]);
  });

  it('a call that a person refused is refused, not failed', () => {
    const ingest = ingestOf();
    takeAll(
      ingest,
      TURN.filter(({ kind }) => kind === 'question'),
    );
    ingest.refuse('que_1');
    expect(takeAll(ingest, [tool({ status: 'failed', callId: 'call_q' })]).at(-1)).toMatchObject({
      data: { status: 'refused' },
    });
  });

  it('[IN6] yields valid events however large or odd the signals are', () => {
    const long = 'ü'.repeat(300_000);
    const signals: AgentSignal[] = [
      text(true, long),
      tool({
        tool: long,
        title: long,
        input: { long },
        output: long,
        diff: long,
        edits: Array.from({ length: 500 }, () => ({ path: long, additions: 1, deletions: 1 })),
      }),
      {
        kind: 'todos',
        sessionId,
        todos: Array.from({ length: 500 }, () => ({
          content: long,
          status: 'pending',
          priority: 'low',
        })),
      },
      {
        kind: 'question',
        sessionId,
        requestId: 'que',
        callId: null,
        questions: Array.from({ length: 50 }, () => ({
          question: long,
          header: long,
          options: Array.from({ length: 50 }, () => ({ label: long, description: long })),
          allowsSeveral: true,
          allowsOther: true,
        })),
      },
      {
        kind: 'permission',
        sessionId,
        requestId: 'per',
        callId: null,
        permission: long,
        patterns: Array.from({ length: 50 }, () => long),
      },
      { kind: 'child', sessionId: 'ses_child', parentId: sessionId, title: long },
    ];
    const events = takeAll(ingestOf(), signals);
    expect(events).toHaveLength(7);
    events.forEach(durable);
    expect(() => events.map(durable).reduce(evolveAgent, INITIAL_AGENT)).not.toThrow();
  });

  it('[IN7] stores a long text whole and links it; a failing store loses no event', async () => {
    const long = 'x'.repeat(200_000);
    const [, finished] = ingestOf().take(tool({ output: long })).drafts as [Draft, Draft];
    const stored = new Map<string, number>();
    const sink = (name: string, bytes: Uint8Array) => {
      stored.set(name, bytes.length);
      return Promise.resolve(`link/${name}`);
    };
    const event = await settle(finished, noFile, sink);
    expect(event.data).toMatchObject({ link: 'link/prt_tool.txt', outputBytes: 200_000 });
    expect(stored).toEqual(new Map([['prt_tool.txt', 200_000]]));
    durable(event, 0);
    const unstored = await settle(finished, noFile, () => Promise.reject(new Error('full')));
    expect(unstored.data).toMatchObject({ link: null, outputBytes: 200_000 });
  });

  it('reads a truncated output whole from the agent’s file when it is short after all', async () => {
    const [, finished] = ingestOf().take(tool({ output: '…cut', outputPath: '/out' })).drafts as [
      Draft,
      Draft,
    ];
    const event = await settle(
      finished,
      () => Promise.resolve('the whole'),
      () => Promise.reject(new Error('unused')),
    );
    expect(event.data).toMatchObject({ output: 'the whole', outputBytes: 9, link: null });
    const lost = await settle(
      finished,
      () => Promise.reject(new Error('gone')),
      () => Promise.resolve(''),
    );
    expect(lost.data).toMatchObject({ output: '…cut', link: null });
  });

  it('records no cost without a known price', () => {
    const step: AgentSignal = {
      kind: 'step',
      sessionId,
      partId: 'p',
      reason: 'stop',
      tokens,
      costUsd: 0,
    };
    expect(takeAll(ingestOf([], false), [step])).toEqual([
      sessionEvent('step.finished', {
        turnId,
        subagentId: null,
        partId: 'p',
        reason: 'stop',
        tokens,
        costUsd: null,
      }),
    ]);
  });

  it('a preview has the start and the end, and no half characters', () => {
    const rockets = '\u{1f680}'.repeat(100_000);
    expect(fitsInline(rockets)).toBe(false);
    expect(preview(rockets).isWellFormed()).toBe(true);
    expect(preview(`start${'x'.repeat(200_000)}end`)).toMatch(
      /^start[^]*characters left out[^]*end$/,
    );
  });
});
