import {
  type AgentCommand,
  type AgentState,
  AgentState as AgentStateSchema,
  type SessionEvent,
  createId,
} from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { sessionEvent } from '../session/event.ts';
import { decideAgent } from './decide.ts';
import { evolveAgent } from './evolve.ts';
import { fingerprint } from './fingerprint.ts';
import { type AgentLimits, DEFAULT_AGENT_LIMITS, checkLimits } from './limits.ts';
import { INITIAL_AGENT, phaseOf } from './state.ts';

const turnId = createId('turn');
const place = { turnId, subagentId: null };
const tokens = { input: 10, output: 5, reasoning: 1, cacheRead: 2, cacheWrite: 0 };
const by = 'ada';

const prompted = (attempt = 1, mode: 'build' | 'plan' = 'build', id = turnId) =>
  sessionEvent('agent.prompted', {
    promptId: null,
    turnId: id,
    attempt,
    messageId: `msg_${attempt}`,
    mode,
    kind: 'prompt',
    maxSteps: 25,
  });
const step = (
  changes: { subagentId?: string | null; reason?: string; costUsd?: number | null } = {},
) =>
  sessionEvent('step.finished', {
    ...place,
    partId: 'prt',
    reason: 'tool-calls',
    tokens,
    costUsd: 0.5,
    ...changes,
  });
const started = (partId: string, tool = 'bash') =>
  sessionEvent('tool.started', { ...place, partId, tool, title: '', input: '{}' });
const finished = (
  partId: string,
  status: 'completed' | 'failed' | 'refused' | 'interrupted',
  hash = partId,
  tool = 'bash',
) =>
  sessionEvent('tool.finished', {
    ...place,
    partId,
    tool,
    title: '',
    status,
    output: '',
    outputBytes: 0,
    link: null,
    exitCode: null,
    durationMs: 0,
    edits: [],
    diff: '',
    callHash: hash,
    resultHash: hash,
  });
const same = (id: string, hash: string) => finished(id, 'completed', hash);
const asked = (requestId: string) =>
  sessionEvent('question.asked', {
    ...place,
    requestId,
    callId: null,
    questions: [
      { question: 'Which?', header: '', options: [], allowsSeveral: false, allowsOther: true },
    ],
  });
const parked = (nextAttemptAt: number) =>
  sessionEvent('provider.retrying', { turnId, attempt: 1, nextAttemptAt, reason: null });
const ended = (reason?: 'loop') =>
  sessionEvent('turn.finished', {
    turnId,
    outcome:
      reason === undefined
        ? { kind: 'completed' }
        : { kind: 'paused', reason, message: 'm', remedy: 'r', notBefore: null },
  });

/** Folds with one second between events. */
function fold(events: SessionEvent[], from: AgentState = INITIAL_AGENT): AgentState {
  return events.reduce(
    (agent, event, index) =>
      evolveAgent(agent, { ...event, seq: index + 1, at: (index + 1) * 1000 }),
    from,
  );
}

function check(events: SessionEvent[], limits: Partial<AgentLimits>, nowMs = 10_000, heardAt = 0) {
  const { turn } = fold(events);
  if (turn === null) throw new Error('no turn');
  const decision = checkLimits(turn, { ...DEFAULT_AGENT_LIMITS, ...limits }, nowMs, heardAt);
  return decision.kind === 'stop' ? decision.reason : decision.kind;
}

describe('limits', () => {
  it('[AL1] Ship counts steps: at the limit the turn ends, unless the agent is done', () => {
    const steps = Array.from({ length: 25 }, () => step());
    expect(check([prompted(), ...steps.slice(1)], {})).toBe('go-on');
    expect(check([prompted(), ...steps], {})).toBe('step-limit');
    expect(check([prompted(), ...steps.slice(1), step({ reason: 'stop' })], {})).toBe('go-on');
  });

  it('[AL1] a sub-agent has its own limit of the same size', () => {
    const subagent = sessionEvent('subagent.started', { turnId, subagentId: 'ses_x', title: '' });
    const steps = Array.from({ length: 25 }, () => step({ subagentId: 'ses_x' }));
    expect(check([prompted(), subagent, ...steps], {})).toBe('step-limit');
  });

  it('[AL1] another attempt of the same turn keeps counting, another turn starts at 0', () => {
    const steps = Array.from({ length: 24 }, () => step());
    expect(check([prompted(), ...steps, prompted(2), step()], {})).toBe('step-limit');
    const next = prompted(1, 'build', createId('turn'));
    expect(check([prompted(), ...steps, next], {})).toBe('go-on');
  });

  it('[AL2] a tool that fails three times in a row ends the turn; a success in between does not', () => {
    const fail = (id: string) => finished(id, 'failed');
    expect(check([prompted(), fail('1'), fail('2')], {})).toBe('go-on');
    expect(check([prompted(), fail('1'), fail('2'), fail('3')], {})).toBe('tool-failures');
    const success = finished('s', 'completed');
    expect(check([prompted(), fail('1'), fail('2'), success, fail('3')], {})).toBe('go-on');
    const other = finished('o', 'completed', 'o', 'read');
    expect(check([prompted(), fail('1'), other, fail('2'), fail('3')], {})).toBe('tool-failures');
  });

  it('[AL2] refused and interrupted calls are not failures', () => {
    const events = ['1', '2', '3', '4'].map((id) => finished(id, 'refused'));
    const broken = ['5', '6', '7', '8'].map((id) => finished(id, 'interrupted'));
    expect(check([prompted(), ...events, ...broken], {})).toBe('go-on');
  });

  it('[AL3] work that is repeated after an interrupted attempt is not a loop', () => {
    const again = [1, 2, 3, 4].flatMap((attempt) => [
      prompted(attempt),
      same(`one-${attempt}`, 'a'),
      finished(`two-${attempt}`, 'failed', 'b'),
    ]);
    expect(check(again, {})).toBe('go-on');
  });

  it('[AL3] the same call with the same result many times is a loop, also when calls alternate', () => {
    const loop = ['a', 'a', 'a', 'a'].map((hash, id) => same(String(id), hash));
    const pair = ['a', 'b', 'a', 'b', 'a', 'b', 'a'].map((hash, id) => same(String(id), hash));
    const busy = ['a', 'b', 'c', 'a', 'd', 'e', 'a'].map((hash, id) => same(String(id), hash));
    expect(check([prompted(), ...loop], {})).toBe('loop');
    expect(check([prompted(), ...pair], {})).toBe('loop');
    expect(check([prompted(), ...busy], {})).toBe('go-on');
  });

  it('[AL4] an operation, the turn and silence have time limits', () => {
    const running = [prompted(), started('1')];
    expect(check(running, { operationTimeoutMs: 5000 }, 7001)).toBe('operation-timeout');
    expect(check(running, { noProgressMs: 5000 }, 8000)).toBe('go-on');
    expect(check([prompted()], { turnTimeoutMs: 5000 }, 6001)).toBe('turn-timeout');
    expect(check([prompted()], { noProgressMs: 5000 }, 6001)).toBe('no-progress');
    expect(check([prompted()], { noProgressMs: 5000 }, 6001, 5000)).toBe('go-on');
  });

  it('[AL4] no limit counts the time that a person takes', () => {
    const waiting = [prompted(), started('1'), asked('q')];
    const strict = { operationTimeoutMs: 1, turnTimeoutMs: 2500, noProgressMs: 1 };
    expect(check(waiting, strict, 3_600_000)).toBe('go-on');
    const answered = sessionEvent('question.answered', { requestId: 'q', answers: [['x']], by });
    const late = [...waiting, answered].map((event, index) => ({ event, at: index }));
    const agent = late.reduce(
      (state, { event, at }) =>
        evolveAgent(state, {
          ...event,
          seq: at + 1,
          at: at === 3 ? 3_600_000 : at,
        }),
      INITIAL_AGENT,
    );
    if (agent.turn === null) throw new Error('no turn');
    const limits = { ...DEFAULT_AGENT_LIMITS, turnTimeoutMs: 2500, operationTimeoutMs: 2500 };
    expect(checkLimits(agent.turn, limits, 3_602_000, 0).kind).toBe('go-on');
    expect(checkLimits(agent.turn, limits, 3_603_000, 0).kind).toBe('stop');
  });

  it('[AL4] limits run again after an attempt that ended while it waited for a person', () => {
    const error = { code: 'unavailable', category: 'transient', message: '', remedy: '' } as const;
    const retry = sessionEvent('turn.retry-scheduled', { turnId, error, nextAttemptAt: 0 });
    const agent = fold([prompted(), asked('q'), retry, prompted(2)]);
    expect(agent).toMatchObject({ questions: [], turn: { waitingSince: null, waitedMs: 2000 } });
  });

  it('[AL5] a long wait for the provider ends the turn and says until when', () => {
    expect(check([prompted(), parked(70_000)], {})).toBe('go-on');
    expect(check([prompted(), parked(7_200_000)], {})).toBe('provider-parked');
    expect(check([prompted(), parked(7_200_000), step()], {})).toBe('go-on');
  });
});

describe('state of the agent', () => {
  it('[AL6] tokens and cost are summed per turn and in total; steps without a price are counted separately', () => {
    const agent = fold([
      prompted(),
      step(),
      step({ subagentId: 'ses_x' }),
      step({ costUsd: null }),
    ]);
    expect(agent.usage).toEqual({
      costUsd: 1,
      unpricedSteps: 1,
      steps: 3,
      tokens: { input: 30, output: 15, reasoning: 3, cacheRead: 6, cacheWrite: 0 },
    });
    expect(agent.turn).toMatchObject({ step: 2, usage: agent.usage });
    const next = fold([prompted(1, 'build', createId('turn'))], agent);
    expect(next.turn?.usage.steps).toBe(0);
    expect(next.usage.steps).toBe(3);
  });

  it('[AL7] the state does not grow with the log', () => {
    const many = Array.from({ length: 300 }, (_, index) => [
      started(`s${index}`),
      finished(`f${index}`, 'failed', String(index), `tool${index}`),
      asked(`q${index}`),
      sessionEvent('subagent.started', { turnId, subagentId: `ses_${index}`, title: '' }),
      step(),
    ]).flat();
    const agent = fold([prompted(), ...many]);
    expect(AgentStateSchema.parse(agent)).toEqual(agent);
    expect(JSON.stringify(agent).length).toBeLessThan(20_000);
  });

  it('nothing stays open after the turn', () => {
    const agent = fold([prompted(), started('1'), asked('q'), ended()]);
    expect(agent).toMatchObject({ questions: [], turn: { runningTools: [], isOver: true } });
  });

  it.each([
    ['idle', []],
    ['executing', [prompted()]],
    ['planning', [prompted(1, 'plan')]],
    ['waiting-for-answer', [prompted(), asked('q')]],
    [
      'waiting-for-provider',
      [
        prompted(),
        sessionEvent('provider.retrying', { turnId, attempt: 1, nextAttemptAt: 1, reason: null }),
      ],
    ],
    ['stuck', [prompted(), ended('loop')]],
    [
      'waiting-for-plan',
      [prompted(), sessionEvent('plan.proposed', { turnId, planId: 'p', text: 't' }), ended()],
    ],
  ] as const)('is %s', (phase, events) => {
    expect(phaseOf(fold([...events]))).toBe(phase);
  });

  it('equal texts have equal fingerprints, others do not', () => {
    const texts = ['', 'a', 'b', 'ab', 'ba', '\u{1f680}', 'a'.repeat(100_000)];
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
    expect(fingerprint('same')).toBe(fingerprint('same'));
    expect(fingerprint('same')).toHaveLength(22);
  });
});

describe('commands to the agent', () => {
  const promptId = createId('prm');
  const waiting = fold([prompted(), asked('q')]);

  it('[AL8] an answer is accepted once, for an open question, and one for each question', () => {
    const answer: AgentCommand = {
      type: 'question.answer',
      requestId: 'q',
      answers: [['x']],
      by,
    };
    const decision = decideAgent(waiting, answer);
    expect(decision).toMatchObject({ kind: 'events', events: [{ type: 'question.answered' }] });
    if (decision.kind !== 'events') throw new Error('refused');
    expect(decideAgent(fold(decision.events, waiting), answer)).toMatchObject({
      error: { code: 'nothing-to-answer' },
    });
    expect(decideAgent(INITIAL_AGENT, answer)).toMatchObject({
      error: { code: 'nothing-to-answer' },
    });
    expect(decideAgent(waiting, { ...answer, answers: [] })).toMatchObject({
      error: { code: 'invalid-input' },
    });
  });

  it('[AL8] a permission is answered once, while it is open', () => {
    const permission = sessionEvent('permission.asked', {
      ...place,
      requestId: 'p',
      callId: null,
      permission: 'bash',
      patterns: [],
    });
    const reply = { requestId: 'p', reply: 'once', message: null, by } as const;
    const open = fold([prompted(), permission]);
    const answer = { type: 'permission.answer', ...reply } as const;
    expect(decideAgent(open, answer)).toMatchObject({ events: [{ type: 'permission.answered' }] });
    const answered = fold([sessionEvent('permission.answered', reply)], open);
    expect(answered.permissions[0]?.answer).toEqual({ reply: 'once', message: null });
    expect(decideAgent(answered, answer)).toMatchObject({ error: { code: 'nothing-to-answer' } });
    const closed = fold([sessionEvent('ask.closed', { requestId: 'p' })], answered);
    expect(closed.permissions).toEqual([]);
  });

  it('[AL9] a plan is approved, changed or rejected; the next step is a prompt', () => {
    const planned = fold([
      sessionEvent('agent.mode-changed', { mode: 'plan', by }),
      prompted(1, 'plan'),
      sessionEvent('plan.proposed', { turnId, planId: 'p', text: 'do it' }),
      ended(),
    ]);
    const types = (decision: 'approve' | 'edit' | 'reject', text: string | null, planId = 'p') => {
      const command = { type: 'plan.decide', planId, decision, text, promptId, by } as const;
      const result = decideAgent(planned, command);
      return result.kind === 'events' ? result.events.map(({ type }) => type) : result.error.code;
    };
    const carriedOut = ['plan.decided', 'agent.mode-changed', 'prompt.queued'];
    expect(types('approve', null)).toEqual(carriedOut);
    expect(types('edit', 'do less')).toEqual(carriedOut);
    expect(types('edit', null)).toBe('invalid-input');
    expect(types('reject', 'think again')).toEqual(['plan.decided', 'prompt.queued']);
    expect(types('reject', null)).toEqual(['plan.decided']);
    expect(types('approve', null, 'another')).toBe('nothing-to-answer');
  });

  it('a change to the current mode has no effect', () => {
    expect(decideAgent(INITIAL_AGENT, { type: 'mode.change', mode: 'build', by })).toEqual({
      kind: 'events',
      events: [],
    });
  });
});
