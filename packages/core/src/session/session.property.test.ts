import {
  type DurableEnvelope,
  type SandboxObservation,
  type SandboxState,
  type SessionCommand,
  SessionState,
  createId,
  shipError,
} from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_POLICY } from '../retry/policy.ts';
import { decide } from './decide.ts';
import { evolve, evolveAll } from './evolve.ts';
import { MAX_QUEUED_PROMPTS, openTurn } from './state.ts';
import { hasSameSummary, summarize } from './summary.ts';

const rules = { retry: DEFAULT_RETRY_POLICY };
const turnIds = [createId('turn'), createId('turn'), createId('turn')];
const promptIds = [createId('prm'), createId('prm'), createId('prm')];
const errors = [
  shipError('unavailable', 'a', 'b'),
  shipError('internal', 'a', 'b'),
  shipError('rate-limited', 'a', 'b'),
];

const turnId = fc.constantFrom(...turnIds);
const promptId = fc.constantFrom(...promptIds);
const prompt = promptId.map((id) => ({ promptId: id, text: 'do it', author: 'ada' }));
const outcome = fc.constantFrom(
  { kind: 'completed' as const },
  { kind: 'stopped' as const, by: 'ada' },
  {
    kind: 'paused' as const,
    reason: 'step-limit' as const,
    message: 'a',
    remedy: 'b',
    notBefore: null,
  },
  ...errors.map((error) => ({ kind: 'failed' as const, error })),
);
const sandboxId = fc.constantFrom('sbx-a', 'sbx-b');
const observation: fc.Arbitrary<SandboxObservation> = fc.oneof(
  fc.constant({ type: 'sandbox.request' as const }),
  fc.record({ type: fc.constant('sandbox.found-ready' as const), sandboxId }),
  fc.record({
    type: fc.constant('sandbox.found-failing' as const),
    error: fc.constantFrom(...errors),
    jitter: fc.constantFrom(0, 1),
  }),
  fc.record({
    type: fc.constant('sandbox.found-frozen' as const),
    sandboxId,
    byPerson: fc.boolean(),
  }),
  fc.record({ type: fc.constant('sandbox.stray-found' as const), sandboxId }),
  fc.constant({ type: 'sandbox.swept' as const }),
  fc.record({
    type: fc.constant('stage.finish' as const),
    stage: fc.constantFrom('sandbox' as const, 'clone' as const, 'agent' as const),
    durationMs: fc.nat(1000),
    error: fc.constantFrom(null, ...errors),
  }),
  fc.record({ type: fc.constant('sandbox.found-asleep' as const), sandboxId }),
  fc.record({
    type: fc.constant('sandbox.found-awake' as const),
    sandboxId,
    processes: fc.constantFrom('kept' as const, 'lost' as const),
  }),
  fc.record({
    type: fc.constant('sandbox.found-gone' as const),
    sandboxId,
    reason: fc.constant('x'),
  }),
  fc.record({
    type: fc.constant('sandbox.ended' as const),
    sandboxId,
    reason: fc.constant('idle' as const),
  }),
);
const command: fc.Arbitrary<SessionCommand> = fc.oneof(
  fc.record({
    type: fc.constant('session.create' as const),
    sessionId: fc.constant(createId('ses')),
    title: fc.constant('t'),
    repository: fc.constant('/r'),
    model: fc.constant('demo/a'),
    base: fc.constant(null),
    branch: fc.constant(null),
    budgetUsd: fc.constant(null),
    source: fc.constant('api' as const),
    mode: fc.constantFrom('build' as const, 'plan' as const),
    titledBy: fc.constantFrom('person' as const, 'prompt' as const),
    cardId: fc.constant(null),
    prompt: fc.option(prompt),
  }),
  fc.constant({ type: 'session.rename' as const, title: 'u' }),
  fc.constant({ type: 'session.close' as const, by: 'ada' }),
  fc.record({
    type: fc.constant('model.change' as const),
    model: fc.constantFrom('demo/a', 'demo/b'),
  }),
  fc.record({ type: fc.constant('prompt.enqueue' as const), prompt }),
  fc.record({ type: fc.constant('prompt.withdraw' as const), promptId }),
  fc.record({
    type: fc.constant('prompt.edit' as const),
    promptId,
    text: fc.constantFrom('a', 'b'),
  }),
  fc.record({
    type: fc.constant('prompt.move' as const),
    promptId,
    after: fc.option(promptId),
    text: fc.constantFrom(null, 'c'),
  }),
  fc.record({
    type: fc.constant('turn.stop' as const),
    by: fc.constant('ada'),
    clearQueue: fc.boolean(),
  }),
  fc.record({ type: fc.constant('turn.retry' as const), turnId, by: fc.constant('ada') }),
  fc.record({ type: fc.constant('turn.start' as const), turnId }),
  fc.record({
    type: fc.constant('turn.fail' as const),
    turnId,
    error: fc.constantFrom(...errors),
    jitter: fc.constantFrom(0, 1),
  }),
  fc.record({ type: fc.constant('turn.finish' as const), turnId, outcome }),
  observation,
);
const history = fc.array(fc.tuple(command, fc.integer({ min: 0, max: 90_000 })), { maxLength: 60 });

/** Runs commands as the Durable Object does and keeps every intermediate state. */
function play(commands: [SessionCommand, number][]) {
  const log: DurableEnvelope[] = [];
  const states: (SessionState | undefined)[] = [undefined];
  let state: SessionState | undefined;
  let now = 0;
  for (const [next, elapsedMs] of commands) {
    now += elapsedMs;
    const decision = decide(state, next, now, rules);
    if (decision.kind === 'rejected') continue;
    for (const event of decision.events) {
      const envelope = { ...event, seq: log.length + 1, at: now };
      log.push(envelope);
      state = evolve(state, envelope);
      states.push(state);
    }
  }
  return { log, states };
}

/** Invariants of every reachable state. */
function assertLegal(before: SessionState | undefined, after: SessionState | undefined) {
  if (after === undefined) {
    expect(before).toBeUndefined();
    return;
  }
  // The state matches the schema, so that a stored one can be read back.
  expect(SessionState.parse(after)).toEqual(after);
  expect(new Set(after.queue.map((p) => p.promptId)).size).toBe(after.queue.length);
  expect(after.seq).toBe((before?.seq ?? 0) + 1);
  expect(after.queue.length).toBeLessThanOrEqual(MAX_QUEUED_PROMPTS);
  const turn = openTurn(after.activity);
  if (turn !== undefined) {
    expect(turn.attempt).toBeLessThanOrEqual(rules.retry.maxAttempts);
    expect(after.current?.promptId).toBe(turn.promptId);
  }
  if (before?.activity.status === 'closed') expect(after.activity).toEqual(before.activity);
  assertLegalSandbox(before?.sandbox, after.sandbox);
  // A turn is never replaced before it has ended.
  const earlier = before && openTurn(before.activity);
  if (earlier !== undefined && turn !== undefined) expect(turn.turnId).toBe(earlier.turnId);
}

const idOf = (sandbox: SandboxState | undefined) =>
  sandbox && 'sandboxId' in sandbox ? sandbox.sandboxId : undefined;

/** A sandbox is never replaced before it is lost, destroyed or requested again. */
function assertLegalSandbox(before: SandboxState | undefined, after: SandboxState) {
  if (idOf(before) !== undefined && idOf(after) !== undefined)
    expect(idOf(after)).toBe(idOf(before));
  if (idOf(before) === undefined && idOf(after) !== undefined)
    expect(before?.status).toBe('starting');
}

describe('session properties', () => {
  it('[SE9] no sequence of commands reaches an illegal state', () => {
    fc.assert(
      fc.property(history, (commands) => {
        const { states } = play(commands);
        for (let i = 1; i < states.length; i++) assertLegal(states[i - 1], states[i]);
      }),
      { numRuns: 500 },
    );
  });

  it('[SE18] states that count as equal for lists have the same summary', () => {
    fc.assert(
      fc.property(history, (commands) => {
        const { states } = play(commands);
        for (const [at, after] of states.entries()) {
          const before = states[at - 1];
          if (before === undefined || after === undefined) continue;
          if (hasSameSummary(before, after))
            expect(summarize(after, 0)).toEqual(summarize(before, 0));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('[SE10] folding any prefix and then the rest equals folding all, also through JSON', () => {
    fc.assert(
      fc.property(history, fc.nat(), (commands, cut) => {
        const { log } = play(commands);
        const at = log.length === 0 ? 0 : cut % (log.length + 1);
        const snapshot = evolveAll(undefined, log.slice(0, at));
        const restored = snapshot && (JSON.parse(JSON.stringify(snapshot)) as SessionState);
        const rest = JSON.parse(JSON.stringify(log.slice(at))) as DurableEnvelope[];
        expect(evolveAll(restored, rest)).toEqual(evolveAll(undefined, log));
      }),
      { numRuns: 500 },
    );
  });

  it('[SE11] deciding is deterministic and changes nothing', () => {
    fc.assert(
      fc.property(history, command, (commands, question) => {
        const state = play(commands).states.at(-1);
        const frozen = structuredClone(state);
        expect(decide(state, question, 1, rules)).toEqual(decide(frozen, question, 1, rules));
        expect(state).toEqual(frozen);
      }),
      { numRuns: 300 },
    );
  });
});
