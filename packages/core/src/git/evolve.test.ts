import { createId, GitState, MAX_KEPT_COMMITS, type SessionEvent } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { sessionEvent } from '../session/event.ts';
import { afterForgeAnswer, type ForgeAnswer } from './forge-limits.ts';
import { clonePlan, isMirrorDue } from './clone-plan.ts';
import { evolveGit, NO_GIT_YET } from './evolve.ts';

const sha = (n: number) => n.toString(16).padStart(40, '0');
const play = (...events: SessionEvent[]): GitState =>
  events.reduce((git, event, i) => evolveGit(git, { ...event, seq: i + 1, at: i + 1 }), NO_GIT_YET);
const made = (n: number) =>
  sessionEvent('commit.made', {
    sha: sha(n),
    parentSha: sha(n - 1),
    message: `m${n}`,
    turnId: createId('turn'),
    additions: 1,
    deletions: 0,
    changedFiles: 1,
    skipped: [],
  });
const branch = sessionEvent('branch.made', { branch: 'b', base: 'main', baseSha: sha(0) });
const saved = sessionEvent('checkpoint.saved', {
  sha: sha(9),
  treeSha: sha(8),
  headSha: sha(1),
  skipped: [],
});
const opened = sessionEvent('pull-request.opened', {
  number: 3,
  url: 'http://x/3',
  title: 't',
  draft: true,
  state: 'open',
});

describe('git state', () => {
  it('[GS1] keeps branch, commits, the pushed commit and the pull request', () => {
    const git = play(
      branch,
      made(1),
      sessionEvent('branch.pushed', { branch: 'b', sha: sha(1) }),
      opened,
    );
    expect(git).toMatchObject({ branch: 'b', headSha: sha(1), pushedSha: sha(1), commitCount: 1 });
    expect(git.pullRequest).toMatchObject({ number: 3, draft: true });
    expect(GitState.parse(git)).toEqual(git);
  });

  it('[GS2] does not grow with the log', () => {
    const git = play(branch, ...Array.from({ length: 500 }, (_, i) => made(i + 1)));
    expect(git.commits.length).toBe(MAX_KEPT_COMMITS);
    expect(git.commitCount).toBe(500);
    expect(git.commits.at(-1)?.sha).toBe(sha(500));
  });

  it('[GS3] a repeated commit counts once', () => {
    expect(play(branch, made(1), made(1)).commitCount).toBe(1);
  });

  it('[GS3] a push drops an older checkpoint', () => {
    expect(play(branch, saved).checkpoint?.sha).toBe(sha(9));
    expect(
      play(branch, saved, sessionEvent('branch.pushed', { branch: 'b', sha: sha(1) })).checkpoint,
    ).toBeNull();
  });

  it('[GS3] events about another pull request are ignored', () => {
    const other = sessionEvent('pull-request.state-changed', {
      number: 4,
      state: 'merged',
      draft: false,
    });
    expect(play(branch, opened, other).pullRequest?.state).toBe('open');
    const ours = sessionEvent('pull-request.state-changed', {
      number: 3,
      state: 'merged',
      draft: false,
    });
    expect(play(branch, opened, ours).pullRequest?.state).toBe('merged');
  });

  it('follows conflicts, the base and moves by others', () => {
    const conflict = { with: 'base' as const, ref: 'origin/main', sha: sha(5), files: ['a'] };
    const git = play(branch, sessionEvent('git.conflicted', conflict));
    expect(git.conflict).toEqual(conflict);
    expect(
      play(
        branch,
        sessionEvent('git.conflicted', conflict),
        sessionEvent('base.merged', { baseSha: sha(5), sha: sha(6) }),
        sessionEvent('git.conflict-resolved', { with: 'base' }),
        sessionEvent('branch.moved-outside', { branch: 'b', sha: null }),
      ),
    ).toMatchObject({ conflict: null, baseSha: sha(5), outside: { sha: null } });
  });
});

const answer = (change: Partial<ForgeAnswer>): ForgeAnswer => ({
  status: 200,
  retryAfterSeconds: null,
  rateLimitRemaining: null,
  rateLimitReset: null,
  saysRateLimited: false,
  ...change,
});

describe('responses of a forge', () => {
  const at = { attempt: 1, nowMs: 1_000_000, isRead: true };

  it.each<[string, Partial<ForgeAnswer>, object, Partial<typeof at>]>([
    [
      'a limit with its end',
      { status: 429, retryAfterSeconds: 7 },
      { kind: 'rate-limited', delayMs: 7_000 },
      {},
    ],
    [
      'a secondary limit',
      { status: 403, retryAfterSeconds: 60 },
      { kind: 'rate-limited', delayMs: 60_000 },
      {},
    ],
    [
      'one that says so only in words',
      { status: 403, saysRateLimited: true },
      { kind: 'rate-limited', delayMs: 60_000 },
      {},
    ],
    [
      'an hour that is used up',
      { status: 403, rateLimitRemaining: 0, rateLimitReset: 1_010 },
      { kind: 'rate-limited', delayMs: 11_000 },
      {},
    ],
    ['a plain refusal', { status: 403, rateLimitRemaining: 10 }, { kind: 'final' }, {}],
    ['a server error on a read', { status: 502 }, { kind: 'retry', delayMs: 500 }, {}],
    ['a server error on a change', { status: 502 }, { kind: 'final' }, { isRead: false }],
    ['the fourth server error', { status: 502 }, { kind: 'final' }, { attempt: 4 }],
    ['not found', { status: 404 }, { kind: 'final' }, {}],
  ])('[GF1] %s', (_, change, verdict, when) => {
    expect(afterForgeAnswer(answer(change), { ...at, ...when })).toEqual(verdict);
  });
});

it('[GF6] uses a mirror, else a full clone of a small repository, else a shallow clone', () => {
  expect(clonePlan(500_000, '/mirror')).toEqual({ kind: 'mirror', path: '/mirror' });
  expect(clonePlan(5_000, null)).toEqual({ kind: 'full' });
  expect(clonePlan(500_000, null)).toEqual({ kind: 'shallow' });
  expect(clonePlan(0, null)).toEqual({ kind: 'shallow' });
});

it('[MR5] a mirror is due for a large repository without a recent one', () => {
  const nowMs = 100 * 3_600_000;
  expect(isMirrorDue({ sizeKb: 500_000, madeAtMs: null, nowMs })).toBe(true);
  expect(isMirrorDue({ sizeKb: 5_000, madeAtMs: null, nowMs })).toBe(false);
  expect(isMirrorDue({ sizeKb: 500_000, madeAtMs: nowMs - 3_600_000, nowMs })).toBe(false);
  expect(isMirrorDue({ sizeKb: 500_000, madeAtMs: nowMs - 7 * 3_600_000, nowMs })).toBe(true);
});
