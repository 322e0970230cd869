import { type SandboxState, type SessionState, createId, shipError } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SANDBOX_POLICY } from '../sandbox/policy.ts';
import { evolveAll } from './evolve.ts';
import { sessionEvent } from './event.ts';
import { type Facts, plan } from './plan.ts';
import { summarize } from './summary.ts';

const error = shipError('unavailable', 'The service is away.', 'Wait.');
const promptId = createId('prm');
const turn = { turnId: createId('turn'), promptId, startedAt: 0, attempt: 1, continues: false };
const prompt = { promptId, text: 'do it', author: 'ada' };

function fresh(): SessionState {
  const created = sessionEvent('session.created', {
    sessionId: createId('ses'),
    title: 't',
    repository: '/r',
    model: 'demo/a',
    base: null,
    branch: null,
    budgetUsd: null,
    source: 'api',
    mode: 'build',
    titledBy: 'person',
    cardId: null,
  });
  const state = evolveAll(undefined, [{ ...created, seq: 1, at: 1_000 }]);
  if (state === undefined) throw new Error('no state');
  return state;
}

const TIME = fc.integer({ min: 0, max: 4_000_000 });
const sandbox: fc.Arbitrary<SandboxState> = fc.oneof(
  fc.constant({ status: 'none' as const }),
  TIME.map((since) => ({ status: 'starting' as const, attempt: 1, since })),
  TIME.map((nextAttemptAt) => ({ status: 'retrying' as const, attempt: 1, error, nextAttemptAt })),
  TIME.map((since) => ({ status: 'running' as const, sandboxId: 'a', since })),
  fc.tuple(TIME, fc.boolean()).map(([since, byPerson]) => ({
    status: 'frozen' as const,
    sandboxId: 'a',
    since,
    byPerson,
  })),
  TIME.map((since) => ({ status: 'asleep' as const, sandboxId: 'a', since })),
  TIME.map((since) => ({ status: 'lost' as const, sandboxId: 'a', reason: 'gone', since })),
  TIME.map((since) => ({ status: 'failed' as const, error, since })),
);
const activity: fc.Arbitrary<SessionState['activity']> = fc.oneof(
  fc.constant({ status: 'idle' as const }),
  fc.constant({ status: 'working' as const, turn }),
  TIME.map((nextAttemptAt) => ({ status: 'retrying' as const, turn, error, nextAttemptAt })),
  fc.constant({ status: 'stopping' as const, turn, by: 'ada' }),
  fc.constant({ status: 'failed' as const, turn, error }),
  fc.constant({ status: 'closed' as const, by: 'ada' }),
);
const state = fc
  .record({ sandbox, activity, lastActiveAt: TIME, hasPrompt: fc.boolean() })
  .map(({ hasPrompt, ...rest }) => ({ ...fresh(), ...rest, queue: hasPrompt ? [prompt] : [] }));
const facts: fc.Arbitrary<Facts> = fc.record({
  hasViewers: fc.boolean(),
  lastViewedAt: TIME,
  lastCheckedAt: TIME,
  isEvictable: fc.boolean(),
  hasAgent: fc.boolean(),
  isTurnDriven: fc.boolean(),
  isBranchChanging: fc.boolean(),
  noTurnBefore: TIME,
  lastObservedAt: TIME,
  tidyAttempts: fc.nat(6),
  tidyTriedAt: TIME,
});

const planned = (given: SessionState, known: Facts, nowMs: number) =>
  plan(given, known, nowMs, DEFAULT_SANDBOX_POLICY);

describe('the plan', () => {
  it('[SE16] due steps and the next alarm agree: nothing is forgotten, nothing is early', () => {
    fc.assert(
      fc.property(state, facts, TIME, (given, known, nowMs) => {
        const { due, nextAt } = planned(given, known, nowMs);
        if (nextAt === null) {
          // Only a person can change anything: time alone adds no step.
          expect(planned(given, known, Number.MAX_SAFE_INTEGER).due).toEqual(due);
          return;
        }
        expect(nextAt).toBeGreaterThan(nowMs);
        expect(planned(given, known, nextAt - 1).due).toEqual(due);
        expect(planned(given, known, nextAt).due.length).toBeGreaterThan(due.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[SE16] a closed session comes to rest: its sandbox is destroyed, and then nothing is due', () => {
    fc.assert(
      fc.property(state, facts, TIME, (given, known, nowMs) => {
        const closed = { ...given, activity: { status: 'closed' as const, by: 'ada' } };
        const { due, nextAt } = planned(closed, known, nowMs);
        const isOver = given.sandbox.status === 'none' || given.sandbox.status === 'lost';
        expect(due).toHaveLength(isOver ? 0 : 1);
        expect(nextAt).toBeNull();
      }),
    );
  });

  it('[SB15] no turn starts in a sandbox with an unknown state before it is checked', () => {
    fc.assert(
      fc.property(state, facts, TIME, (given, known, nowMs) => {
        const sure = { ...known, isEvictable: false };
        const { due } = planned(given, { ...sure, lastCheckedAt: 0 }, nowMs);
        expect(due).not.toContainEqual({ kind: 'turn', step: 'start' });
        // The check is due, so the turn does not wait forever.
        const before = planned(given, { ...sure, lastCheckedAt: 1 }, nowMs).due;
        if (before.some(({ kind, step }) => kind === 'turn' && step === 'start'))
          expect(due).toContainEqual({ kind: 'sandbox', step: 'heartbeat' });
      }),
      { numRuns: 2_000 },
    );
  });

  it('[SM6] no turn starts while its sandbox is evictable; the mark is withdrawn immediately', () => {
    fc.assert(
      fc.property(state, facts, TIME, (given, known, nowMs) => {
        const { due } = planned(given, { ...known, isEvictable: true }, nowMs);
        expect(due).not.toContainEqual({ kind: 'turn', step: 'start' });
        const before = planned(given, { ...known, isEvictable: false }, nowMs).due;
        if (before.some(({ kind, step }) => kind === 'turn' && step === 'start'))
          expect(due).toContainEqual({ kind: 'sandbox', step: 'heartbeat' });
      }),
      { numRuns: 2_000 },
    );
  });

  it('[SE16] without an agent no turn starts', () => {
    fc.assert(
      fc.property(state, facts, TIME, (given, known, nowMs) => {
        const { due } = planned(given, { ...known, hasAgent: false }, nowMs);
        expect(due.filter(({ kind }) => kind === 'turn')).toEqual([]);
      }),
    );
  });
});

describe('the summary', () => {
  const running = { status: 'running', sandboxId: 'a', since: 0 } as const;
  const failing = { status: 'failed', error, since: 0 } as const;
  const cases: [string, Partial<SessionState>, string, string | null, string | null][] = [
    ['nothing to do', { sandbox: running }, 'idle', null, null],
    ['a prompt waits for its sandbox', { queue: [prompt] }, 'starting', null, null],
    ['a prompt waits for its turn', { queue: [prompt], sandbox: running }, 'queued', null, null],
    ['at work', { activity: { status: 'working', turn } }, 'working', null, null],
    ['no sandbox available', { sandbox: failing }, 'failed', error.message, 'error'],
    [
      'a turn failed',
      { activity: { status: 'failed', turn, error }, sandbox: running },
      'failed',
      error.message,
      'error',
    ],
    [
      'its sandbox is lost',
      { sandbox: { status: 'lost', sandboxId: 'a', reason: 'gone', since: 0 } },
      'idle',
      'gone',
      null,
    ],
    ['closed', { activity: { status: 'closed', by: 'ada' } }, 'closed', null, null],
  ];

  it.each(cases)('[SE17] shows the state: %s', (_, over, status, statusDetail, needsYou) => {
    const summary = summarize({ ...fresh(), ...over }, 5);
    expect(summary).toMatchObject({ status, statusDetail, needsYou, updatedAt: 5 });
  });
});
