import { shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { SessionFold } from '../progress/session-fold.ts';
import { scriptedLog } from '../progress/testing.ts';
import { describeResult } from '../sessions/finish.ts';
import { type RunStatus, exitCodeOf, isSettled, resultOf } from './result.ts';

type Log = ReturnType<typeof scriptedLog>;

function foldOf(log: Log) {
  const fold = new SessionFold();
  fold.add(log.events);
  if (fold.state === undefined) throw new Error('the log makes no session');
  return { state: fold.state, seen: fold.seen };
}

const busy = () => scriptedLog().created().started();
const sha = 'a'.repeat(40);
const paused = {
  kind: 'paused',
  reason: 'step-limit',
  message: '25 steps',
  remedy: 'Continue.',
  notBefore: null,
};
const failed = (code: 'internal' | 'payment-required') => ({
  kind: 'failed',
  error: shipError(code, 'It broke.', 'Fix it.'),
});

describe('the result of a run', () => {
  it.each<[string, Log, RunStatus, number]>([
    ['completed', busy().finished({ kind: 'completed' }), 'done', 0],
    ['stopped', busy().finished({ kind: 'stopped', by: 'ann' }), 'stopped', 1],
    ['failed permanently', busy().finished(failed('internal')), 'failed', 1],
    [
      'failed, but a person can fix it',
      busy().finished(failed('payment-required')),
      'needs-you',
      3,
    ],
    ['ended by a limit', busy().finished(paused), 'needs-you', 3],
    ['closed', busy().add('session.closed', { by: 'ann' }), 'stopped', 1],
    ['not over', busy(), 'working', 0],
  ])('[RN1] %s has its status and exit code', (_, log, status, code) => {
    const { state, seen } = foldOf(log);
    expect(resultOf(state, seen, 5).status).toBe(status);
    expect(exitCodeOf({ status, verification: null, setup: null })).toBe(code);
    expect(isSettled(state)).toBe(status !== 'working');
  });

  it('[RN1] always has all fields of the contract', () => {
    const { state, seen } = foldOf(scriptedLog().created());
    expect(resultOf(state, seen, 5)).toEqual({
      sessionId: state.sessionId,
      status: 'working',
      branch: null,
      base: null,
      commits: [],
      pullRequest: null,
      leftOut: [],
      cost: { usd: 0, inputTokens: 0, outputTokens: 0 },
      timings: {
        sandboxReadyMs: null,
        cloneMs: null,
        agentReadyMs: null,
        firstTokenMs: null,
        turnMs: null,
        modelMs: null,
        pullRequestMs: null,
        totalMs: 5,
      },
      verification: null,
      setup: null,
      error: null,
    });
  });

  it('[RN1] contains branch, commits, pull request and times', () => {
    const log = busy()
      .add('stage.finished', { stage: 'sandbox', durationMs: 70, error: null })
      .add('stage.finished', { stage: 'clone', durationMs: 80, error: null })
      .add('stage.finished', { stage: 'agent', durationMs: 90, error: null })
      .add('branch.made', { branch: 'ship-fix', base: 'main', baseSha: null });
    log.add('text.finished', {
      turnId: log.turnId,
      subagentId: null,
      partId: 'p',
      kind: 'text',
      text: 'Hello',
      isPartial: false,
      link: null,
    });
    log.add('commit.made', {
      sha,
      parentSha: null,
      message: 'fix: it',
      turnId: log.turnId,
      additions: 1,
      deletions: 2,
      changedFiles: 1,
      skipped: [],
    });
    log
      .add('pull-request.opened', {
        number: 4,
        url: 'http://f/4',
        title: 'fix: it',
        draft: true,
        state: 'open',
      })
      .add('branch.pushed', { branch: 'ship-fix', sha })
      .finished({ kind: 'completed' });
    const { state, seen } = foldOf(log);
    expect(resultOf(state, seen, 9_999)).toMatchObject({
      status: 'done',
      branch: 'ship-fix',
      base: 'main',
      commits: [{ sha, message: 'fix: it' }],
      pullRequest: { number: 4, url: 'http://f/4', draft: true },
      timings: {
        sandboxReadyMs: 70,
        cloneMs: 80,
        agentReadyMs: 90,
        firstTokenMs: 7_000,
        pullRequestMs: 9_000,
        turnMs: 9_000,
      },
    });
  });

  it('[RN9] names the files that were left out, and evidence of an older commit as stale', () => {
    const log = busy();
    const { turnId } = log;
    const leftOut = [{ path: 'new.psd', reason: 'lfs-content' }];
    const commit = { parentSha: null, additions: 1, deletions: 0, changedFiles: 1 };
    log
      .add('verification.finished', { turnId, ...verified('after', []) })
      .add('commit.made', { ...commit, sha, message: 'fix: it', turnId, skipped: leftOut })
      .add('verification.committed', { turnId, sha })
      .add('branch.pushed', { branch: 'ship-fix', sha })
      .finished({ kind: 'completed' });
    const shown = () => {
      const { state, seen } = foldOf(log);
      return resultOf(state, seen, 5);
    };
    expect(shown()).toMatchObject({ leftOut, verification: { commit: sha, isStale: false } });
    expect(describeResult(shown(), null)).toContain(
      '  left out      new.psd: belongs in Git LFS, which the sandbox does not have',
    );
    log.add('branch.moved-outside', { branch: 'ship-fix', sha: 'b'.repeat(40) });
    expect(shown().verification).toMatchObject({ commit: sha, isStale: true });
    expect(describeResult(shown(), null).join('\n')).toContain('stale: the branch has a newer');
  });

  it('[EY6] claims no branch before it is pushed', () => {
    const log = busy().add('branch.made', { branch: 'ship-fix', base: 'main', baseSha: null });
    const { state, seen } = foldOf(log.finished({ kind: 'completed' }));
    expect(resultOf(state, seen, 5)).toMatchObject({ status: 'done', branch: null, base: 'main' });
  });

  const run = { source: 'package.json', command: 'npm test', exitCode: 1, durationMs: 5 };
  const verified = (phase: 'before' | 'after', failing: string[]) => ({
    ...run,
    phase,
    verdict: failing.length === 0 ? 'passed' : 'failed',
    counts: { passed: 3, failed: failing.length, skipped: 0 },
    failing,
    link: null,
    output: '',
    outputBytes: 0,
  });

  it.each([
    ['breaks a test', [], ['adds'], 1],
    ['leaves a failing test as it was', ['adds'], ['adds'], 0],
    ['repairs a test', ['adds'], [], 0],
  ])('[EY6] work that %s', (_, before, after, code) => {
    const log = busy();
    const { turnId } = log;
    log
      .add('verification.finished', { turnId, ...verified('before', before) })
      .add('verification.finished', { turnId, ...verified('after', after) })
      .finished({ kind: 'completed' });
    const { state, seen } = foldOf(log);
    const result = resultOf(state, seen, 5);
    expect(result).toMatchObject({
      status: 'done',
      verification: {
        command: 'npm test',
        before: { failing: before, counts: { passed: 3 } },
        after: { failing: after },
        isBrokenByWork: code === 1,
      },
    });
    expect(exitCodeOf(result)).toBe(code);
    expect(exitCodeOf(result, true)).toBe(0);
  });

  const proved = (exitCode: number, tests: ReturnType<typeof verified> | null) => ({
    sha,
    setup: { command: 'bash .ship/setup.sh', exitCode, durationMs: 7, link: null },
    verify: tests,
  });

  it.each([
    ['runs there', proved(0, verified('after', [])), [], 'works', 0, 0],
    ['has no tests to run there', proved(0, null), [], 'works', 0, 0],
    ['fails there', proved(1, null), [], 'setup-failed', 1, 1],
    [
      'leaves tests failing there only',
      proved(0, verified('after', ['a'])),
      [],
      'tests-failed',
      1,
      0,
    ],
    ['leaves tests failing everywhere', proved(0, verified('after', ['a'])), ['a'], 'works', 0, 0],
  ])('[AS3] a setup that %s in a clean sandbox', (_, proof, own, status, code, allowed) => {
    const log = busy();
    const { turnId } = log;
    log
      .add('verification.finished', { turnId, ...verified('before', own) })
      .add('verification.finished', { turnId, ...verified('after', own) })
      .add('setup.proved', { turnId, ...proof })
      .finished({ kind: 'completed' });
    const { state, seen } = foldOf(log);
    const result = resultOf(state, seen, 5);
    expect(result.setup).toMatchObject({ status, command: 'bash .ship/setup.sh', durationMs: 7 });
    expect(exitCodeOf(result)).toBe(code);
    expect(exitCodeOf(result, true)).toBe(allowed);
  });

  it('[RN2] waits for one prompt, not for those before or after it', () => {
    const log = busy().add('prompt.queued', {
      promptId: `prm_${'0'.repeat(26)}`,
      text: 'b',
      author: 'b',
    });
    const { state } = foldOf(log);
    expect(isSettled(state, log.promptId)).toBe(false);
    const after = foldOf(log.finished({ kind: 'completed' })).state;
    expect(isSettled(after, log.promptId)).toBe(true);
    expect(isSettled(after)).toBe(false);
  });

  it('[RN2] waits for the repair of what the prompt broke', () => {
    const log = busy().add('prompt.queued', {
      promptId: `prm_${'0'.repeat(26)}`,
      text: 'Fix what `npm test` reports.',
      author: 'Ship',
    });
    const { state } = foldOf(log.finished({ kind: 'completed' }));
    expect(isSettled(state, log.promptId)).toBe(false);
    const { activity } = foldOf(busy()).state;
    const repairing = { ...state, queue: [], activity, current: state.queue[0] ?? null };
    expect(isSettled(repairing, log.promptId)).toBe(false);
    expect(isSettled({ ...state, queue: [] }, log.promptId)).toBe(true);
  });
});
