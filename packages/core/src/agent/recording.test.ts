import { type AgentState, type SessionEvent, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { sessionEvent } from '../session/event.ts';
import { evolveAgent } from './evolve.ts';
import {
  MAX_TEXT_ARTIFACT_BYTES,
  NOTHING_RECORDED,
  type RecordingLimits,
  artifactLimit,
  describeFlood,
  describeRecordingLimit,
  eventLimit,
  isExpendable,
  isFlood,
  recordedWeight,
  recordedSoFar,
} from './recording.ts';
import { INITIAL_AGENT } from './state.ts';
import { TokenBucket } from './token-bucket.ts';

const turnId = createId('turn');
const place = { turnId, subagentId: null };

const prompted = (id = turnId) =>
  sessionEvent('agent.prompted', {
    promptId: null,
    turnId: id,
    attempt: 1,
    messageId: 'msg',
    mode: 'build',
    kind: 'prompt',
    maxSteps: 25,
  });
const text = (kind: 'text' | 'reasoning', link: string | null = null, of: string | null = null) =>
  sessionEvent('text.finished', {
    turnId,
    subagentId: of,
    partId: 'p',
    kind,
    text: 'x'.repeat(1000),
    isPartial: false,
    link,
  });
const finished = (outputBytes: number, link: string | null) =>
  sessionEvent('tool.finished', {
    ...place,
    partId: 'p',
    tool: 'bash',
    title: '',
    status: 'completed',
    output: 'x'.repeat(500),
    outputBytes,
    link,
    exitCode: 0,
    durationMs: 1,
    edits: [],
    diff: 'x'.repeat(500),
    callHash: '',
    resultHash: '',
  });

const fold = (events: SessionEvent[], from: AgentState = INITIAL_AGENT) =>
  events.reduce(
    (agent, event, index) => evolveAgent(agent, { ...event, seq: index + 1, at: index }),
    from,
  );

const limits: RecordingLimits = {
  turn: { events: 10, bytes: 10_000, artifacts: 2, artifactBytes: 5_000 },
  session: { events: 20, bytes: 20_000, artifacts: 4, artifactBytes: 10_000 },
  reserve: { events: 5, bytes: 5_000 },
  cut: { events: 50, bytes: 50_000 },
};
const recorded = (changes: object) => ({ ...NOTHING_RECORDED, ...changes });
const soFar = (turn: object, session: object = turn) => ({
  turn: recorded(turn),
  session: recorded(session),
});

describe('recording limits of an agent', () => {
  it('[RL1] are counted from the log, per turn and in total; another attempt keeps counting', () => {
    const agent = fold([prompted(), text('text'), finished(400_000, '/link'), prompted()]);
    const counted = recordedSoFar(agent);
    expect(counted.turn).toMatchObject({ events: 2, artifacts: 1, artifactBytes: 400_000 });
    expect(counted.turn.bytes).toBeGreaterThan(2_000);
    expect(counted.session).toEqual(counted.turn);
    const next = recordedSoFar(fold([prompted(createId('turn')), text('text')], agent));
    expect(next).toMatchObject({ turn: { events: 1, artifacts: 0 }, session: { events: 3 } });
  });

  it('[RL1] people’s prompts and Ship’s own events do not count', () => {
    expect(recordedWeight(prompted())).toBeNull();
    expect(recordedWeight(sessionEvent('session.renamed', { title: 'x' }))).toBeNull();
    expect(recordedSoFar(INITIAL_AGENT)).toEqual(soFar({}));
  });

  it('[RL1] a linked text counts with the maximum size, a linked output with its real size', () => {
    expect(recordedWeight(text('text', '/link'))?.artifactBytes).toBe(MAX_TEXT_ARTIFACT_BYTES);
    expect(recordedWeight(finished(0, '/link'))).toMatchObject({ artifacts: 1, artifactBytes: 1 });
    expect(recordedWeight(finished(9e9, '/link'))?.artifactBytes).toBe(10_000_000);
    expect(recordedWeight(finished(9e9, null))).toMatchObject({ artifacts: 0, artifactBytes: 0 });
  });

  it('[RL2] a limit is reached by count or by size, of the turn or of the session', () => {
    expect(eventLimit(soFar({ events: 9, bytes: 9_999 }), limits)).toBeNull();
    expect(eventLimit(soFar({ events: 10 }), limits)).toEqual({ scope: 'turn', limit: 'events' });
    expect(eventLimit(soFar({ bytes: 10_000 }), limits)).toEqual({ scope: 'turn', limit: 'bytes' });
    expect(eventLimit(soFar({}, { events: 20 }), limits)?.scope).toBe('session');
    expect(artifactLimit(soFar({ events: 999, artifacts: 1 }), limits)).toBeNull();
    expect(artifactLimit(soFar({ artifacts: 2 }), limits)?.limit).toBe('artifacts');
    expect(artifactLimit(soFar({ artifactBytes: 5_000 }), limits)?.limit).toBe('artifactBytes');
  });

  it('[RL3] answers, questions and steps are never left out; tools, reasoning and sub-agents are', () => {
    expect(isExpendable(text('text'))).toBe(false);
    expect(isExpendable(sessionEvent('ask.closed', { requestId: 'r' }))).toBe(false);
    expect(isExpendable(text('reasoning'))).toBe(true);
    expect(isExpendable(text('text', null, 'ses_sub'))).toBe(true);
    expect(isExpendable(finished(1, null))).toBe(true);
  });

  it('[RL4] far beyond a limit the turn is a flood, by what was left out or by what could not be left out', () => {
    expect(isFlood(soFar({ events: 15, bytes: 15_000 }), recorded({ events: 50 }), limits)).toBe(
      false,
    );
    expect(isFlood(soFar({}), recorded({ events: 51 }), limits)).toBe(true);
    expect(isFlood(soFar({}), recorded({ bytes: 50_001 }), limits)).toBe(true);
    expect(isFlood(soFar({ events: 16 }), NOTHING_RECORDED, limits)).toBe(true);
    expect(isFlood(soFar({}, { bytes: 25_001 }), NOTHING_RECORDED, limits)).toBe(true);
  });

  it('[RL5] people see what was left out, how much, and what to do', () => {
    const limited = { turnId, scope: 'turn', limit: 'bytes' } as const;
    const cut = { events: 12_345, bytes: 7_000_000, artifacts: 3, artifactBytes: 600_000 };
    expect(describeRecordingLimit({ ...limited, isFinal: false, cut: NOTHING_RECORDED })).toBe(
      'The recording limit of this turn (output) was reached: further tool calls and long outputs are not recorded.',
    );
    expect(describeRecordingLimit({ ...limited, isFinal: true, cut })).toBe(
      'The recording limit of this turn (output) was reached: 12,345 events, 7.0 MB of output, 3 stored outputs (0.6 MB) left out.',
    );
    expect(describeFlood({ scope: 'session', limit: 'events' }).remedy).toMatch(/new session/);
    expect(describeFlood(null).remedy).toMatch(/tell the agent how to continue/);
  });
});

describe('a token bucket', () => {
  it('[RL6] allows a burst, then makes the caller wait until the debt is refilled', () => {
    const bucket = new TokenBucket(100, 50);
    expect(bucket.spend(50, 0)).toBe(0);
    expect(bucket.spend(10, 0)).toBe(100);
    expect(bucket.spend(0, 100)).toBe(0);
    // It never has more tokens than its burst, however long it was idle.
    expect(bucket.spend(51, 1_000_000)).toBe(10);
    // A clock that goes back adds no tokens.
    expect(bucket.spend(0, 0)).toBe(10);
  });
});
