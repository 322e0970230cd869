import type { SessionState } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { NO_GIT_YET } from './evolve.ts';
import { branchDeletion, MAX_TIDY_ATTEMPTS, nextCleanup } from './tidy.ts';

const sha = 'a'.repeat(40);
const pullRequest = { number: 1, url: 'u', title: 't', state: 'open' as const, draft: false };
const git = { ...NO_GIT_YET, branch: 'ship-x', pushedSha: sha, pullRequest };
const as = (state: 'open' | 'merged' | 'closed') => ({
  ...git,
  pullRequest: { ...pullRequest, state },
});

describe('[GW24] the branch of a session at the forge', () => {
  it.each([
    ['never', 'merged', true, null],
    ['merged', 'open', false, null],
    ['merged', 'open', true, null],
    ['merged', 'merged', false, 'merged'],
    ['merged', 'closed', true, null],
    ['ended', 'merged', false, 'merged'],
    ['ended', 'closed', false, 'closed'],
    ['ended', 'open', false, null],
    ['ended', 'open', true, 'ended'],
  ] as const)(
    'rule "%s", pull request %s, session ended %s: %s',
    (rule, state, isEnded, reason) => {
      expect(branchDeletion(as(state), rule, isEnded)).toBe(reason);
    },
  );

  it('stays when others moved it, and when nothing was pushed', () => {
    const moved = { ...as('merged'), outside: { sha: 'b'.repeat(40) } };
    expect(branchDeletion(moved, 'ended', true)).toBeNull();
    expect(branchDeletion({ ...as('merged'), pushedSha: null }, 'ended', true)).toBeNull();
  });
});

describe('[GW24] refs of a closed session at the forge', () => {
  const closed: Pick<SessionState, 'activity' | 'git'> = {
    activity: { status: 'closed', by: 'ada' },
    git,
  };
  const facts = { tidyAttempts: 0, tidyTriedAt: 1000, isTurnDriven: false };

  it('are deleted immediately, then retried with backoff a limited number of times', () => {
    expect(nextCleanup(closed, facts)).toBe(0);
    expect(nextCleanup(closed, { ...facts, tidyAttempts: 1 })).toBe(11_000);
    expect(nextCleanup(closed, { ...facts, tidyAttempts: 3 })).toBe(41_000);
    expect(nextCleanup(closed, { ...facts, tidyAttempts: MAX_TIDY_ATTEMPTS })).toBeUndefined();
  });

  it('stay while the session is open, has no branch, or still works', () => {
    expect(nextCleanup({ ...closed, activity: { status: 'idle' } }, facts)).toBeUndefined();
    expect(nextCleanup({ ...closed, git: NO_GIT_YET }, facts)).toBeUndefined();
    expect(nextCleanup(closed, { ...facts, isTurnDriven: true })).toBeUndefined();
  });
});
