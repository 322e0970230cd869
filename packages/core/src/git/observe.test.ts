import { createId, type SessionState, shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SANDBOX_POLICY } from '../sandbox/policy.ts';
import { sessionEvent } from '../session/event.ts';
import { fold } from '../session/evolve.ts';
import { type Facts, plan } from '../session/plan.ts';
import { nextObservation } from './observe.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const sha = 'a'.repeat(40);
const looks = { hasViewers: false, lastObservedAt: 0, isTurnDriven: false };

function session(state: 'open' | 'merged' | 'closed' | null): SessionState {
  const pullRequest = { number: 3, url: 'http://x/3', title: 't', draft: true };
  const events = [
    sessionEvent('session.created', {
      sessionId: createId('ses'),
      title: 'Fix it',
      repository: '/code/app',
      model: 'demo/script',
      base: null,
      branch: null,
      budgetUsd: null,
      source: 'api',
      mode: 'build',
      titledBy: 'person',
      cardId: null,
    }),
    sessionEvent('branch.made', { branch: 'b', base: 'main', baseSha: sha }),
    ...(state === null ? [] : [sessionEvent('pull-request.opened', { ...pullRequest, state })]),
  ];
  let folded: SessionState | undefined;
  events.forEach((event, index) => {
    folded = fold(folded, { ...event, seq: index + 1, at: 1_000 });
  });
  if (folded === undefined) throw new Error('nothing was folded');
  return folded;
}

describe('polling the forge', () => {
  it('[FO1] every minute with a viewer, else every ten minutes with a growing interval', () => {
    const open = session('open');
    const next = (change: Partial<typeof looks>) => nextObservation(open, { ...looks, ...change });
    expect(next({ hasViewers: true })).toBe(1_000 + MINUTE_MS);
    expect(next({})).toBe(1_000 + 10 * MINUTE_MS);
    expect(next({ lastObservedAt: 5 * MINUTE_MS })).toBe(15 * MINUTE_MS);
    const day = next({ lastObservedAt: DAY_MS }) ?? 0;
    expect(day - DAY_MS).toBeGreaterThan(60 * MINUTE_MS);
    expect(next({ lastObservedAt: 90 * DAY_MS })).toBe(90 * DAY_MS + DAY_MS / 4);
    expect(next({ lastObservedAt: 90 * DAY_MS, hasViewers: true })).toBe(90 * DAY_MS + MINUTE_MS);
  });

  it('[FO1] only while a pull request is open, and never while Ship itself changes it', () => {
    for (const state of ['merged', 'closed', null] as const)
      expect(nextObservation(session(state), looks)).toBeUndefined();
    const open = session('open');
    expect(nextObservation(open, { ...looks, isTurnDriven: true })).toBeUndefined();
    const turn = {
      turnId: createId('turn'),
      promptId: createId('prm'),
      startedAt: 0,
      attempt: 1,
      continues: false,
    };
    const working = { ...open, activity: { status: 'working' as const, turn } };
    expect(nextObservation(working, looks)).toBeUndefined();
    const error = shipError('internal', 'm', 'r');
    const failed = { ...open, activity: { status: 'failed' as const, turn, error } };
    expect(nextObservation(failed, looks)).toBeDefined();
  });

  it('[FO1] is in the plan when due, and in the alarm before', () => {
    const facts: Facts = {
      ...looks,
      lastViewedAt: 0,
      lastCheckedAt: 0,
      isEvictable: false,
      hasAgent: true,
      isBranchChanging: false,
      noTurnBefore: 0,
      tidyAttempts: 0,
      tidyTriedAt: 0,
    };
    const at = (nowMs: number) => plan(session('open'), facts, nowMs, DEFAULT_SANDBOX_POLICY);
    expect(at(2_000)).toEqual({ due: [], nextAt: 1_000 + 10 * MINUTE_MS });
    expect(at(11 * MINUTE_MS).due).toEqual([{ kind: 'forge', step: 'observe' }]);
  });

  it('[FO4] changes seen at the forge are not activity: they keep no sandbox awake', () => {
    const open = session('open');
    const seen = [
      sessionEvent('pull-request.state-changed', { number: 3, state: 'merged', draft: false }),
      sessionEvent('branch.moved-outside', { branch: 'b', sha }),
      sessionEvent('repository.moved', { to: 'ada/renamed' }),
    ];
    for (const event of seen) {
      const after = fold(open, { ...event, seq: 4, at: DAY_MS });
      expect(after?.lastActiveAt).toBe(1_000);
      expect(after?.git).not.toEqual(open.git);
    }
    const pushed = sessionEvent('branch.pushed', { branch: 'b', sha });
    expect(fold(open, { ...pushed, seq: 4, at: DAY_MS })?.lastActiveAt).toBe(DAY_MS);
  });
});
