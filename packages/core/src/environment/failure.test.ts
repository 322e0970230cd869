import type { DurableEvent, EnvironmentPlan, EnvironmentState } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { sessionEvent } from '../session/event.ts';
import { environmentNote, evolveEnvironment, testBlocker } from './evolve.ts';
import { failureReason } from './failure.ts';
import { judgeInEnvironment } from './judge.ts';

describe('why an install failed', () => {
  it('[EN8] is the last line with an error', () => {
    const npm = [
      'npm error code ENOENT',
      'npm error path /x/gone.tgz',
      "npm error enoent ENOENT: no such file or directory, open '/x/gone.tgz'",
      'npm error enoent This is related to npm not being able to find a file.',
      'npm error enoent',
      'npm error A complete log of this run can be found in: /x/debug.log',
    ].join('\n');
    expect(failureReason(npm, 254)).toBe(
      "enoent ENOENT: no such file or directory, open '/x/gone.tgz' (exit code 254)",
    );
    expect(failureReason('a\nERROR: No matching distribution found for x\n\n', 1)).toContain(
      'No matching distribution',
    );
    expect(failureReason('still going\n', null)).toBe('still going (did not end in time)');
    expect(failureReason('', 3)).toBe('exit code 3');
    expect(failureReason(`error ${'x'.repeat(5_000)}`, 1).length).toBeLessThan(400);
  });

  it.each([
    [
      'pnpm',
      [
        'Progress: resolved 1, reused 0, downloaded 0, added 0',
        ' ERR_PNPM_FETCH_404  GET http://127.0.0.1:7003/npm/gone/-/gone-1.0.0.tgz: Not Found - 404',
        '',
        'This error happened while installing a direct dependency of /home/user/repo',
        '',
        'gone is not in the npm registry, or you have no permission to fetch it.',
        '',
        'No authorization header was set for the request.',
      ],
      'ERR_PNPM_FETCH_404  GET http://127.0.0.1:7003/npm/gone/-/gone-1.0.0.tgz: Not Found - 404 (exit code 1)',
    ],
    [
      'pip without an index',
      [
        "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno 111] Connection refused')': /simple/setuptools/",
        'ERROR: Could not find a version that satisfies the requirement setuptools>=61 (from versions: none)',
        'ERROR: No matching distribution found for setuptools>=61',
        '[notice] To update, run: pip install --upgrade pip',
      ],
      "The package index did not answer: NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno 111] Connection refused') (exit code 1)",
    ],
    [
      'pip whose build tools failed',
      [
        'ERROR: No matching distribution found for hatchling==99',
        '× pip subprocess to install build dependencies did not run successfully.',
        '│ exit code: 1',
        '╰─> See above for output.',
        'note: This error originates from a subprocess, and is likely not a problem with pip.',
      ],
      'ERROR: No matching distribution found for hatchling==99 (exit code 1)',
    ],
    [
      'yarn',
      [
        '➤ YN0000: ┌ Resolution step',
        '➤ YN0035: │ gone@npm:^1.0.0: Package not found',
        '➤ YN0035: │   Response Code: 404 (Not Found)',
        '➤ YN0000: · Failed with errors in 0s 90ms',
      ],
      '➤ YN0035: │ gone@npm:^1.0.0: Package not found (exit code 1)',
    ],
    [
      'cargo',
      [
        'error: failed to get `serde` as a dependency of package `x v0.1.0`',
        'Caused by:',
        '  failed to download from `https://index.crates.io/config.json`',
        'Caused by:',
        '  [56] Failure when receiving data from the peer (CONNECT tunnel failed, response 403)',
      ],
      '[56] Failure when receiving data from the peer (CONNECT tunnel failed, response 403) (exit code 1)',
    ],
  ])('[EN8] names the cause, not the advice after it: %s', (_, lines, reason) => {
    expect(failureReason(lines.join('\n'), 1)).toBe(reason);
  });
});

const planned: EnvironmentPlan = { install: [], verify: null, toolchains: [], notes: [] };
const missing = {
  tool: 'Go',
  wanted: null,
  source: 'go.mod',
  found: null,
  status: 'missing',
  advice: 'Install Go.',
} as const;
const step = { manager: 'npm', command: 'npm ci', folder: '.', source: 'x' } as const;
const finished = (reason: string | null) =>
  sessionEvent('install.finished', {
    ...step,
    partId: 'p',
    step: 1,
    of: 1,
    durationMs: 1,
    exitCode: reason === null ? 0 : 1,
    reason,
    link: null,
  });
const fold = (...events: ReturnType<typeof sessionEvent>[]) => {
  const numbered = events.map((event, at): DurableEvent => ({ ...event, seq: at + 1, at: 1 }));
  return numbered.reduce<EnvironmentState | undefined>(evolveEnvironment, undefined);
};

describe('state of the environment', () => {
  it('[EN8] a failed step is remembered despite later steps; a new plan starts over', () => {
    const plan = sessionEvent('environment.planned', planned);
    expect(fold(plan, finished(null))).toMatchObject({ install: 'done', reason: null });
    const failed = fold(plan, finished('no luck'), finished(null));
    expect(failed).toMatchObject({ install: 'failed', reason: 'npm ci: no luck' });
    expect(testBlocker(failed)).toBe('dependencies could not be installed: npm ci: no luck');
    expect(environmentNote(failed)).toContain('npm ci: no luck');
    expect(environmentNote(fold(plan, finished(null)))).toBeNull();
    expect(fold(plan, finished('no luck'), plan)).toMatchObject({ install: 'none', reason: null });
    const reused = sessionEvent('setup.reused', { madeAt: 1, savedMs: 1 });
    expect(fold(plan, reused)).toMatchObject({ install: 'done' });
    expect(fold(reused)).toBeUndefined();
  });

  it('[EN8] nor is it one where the sandbox has another version than the repository asks for', () => {
    const other = { ...missing, wanted: '1.21', found: '1.19.8', status: 'other-version' } as const;
    const state = fold(sessionEvent('environment.planned', { ...planned, toolchains: [other] }));
    const reason = 'go.mod asks for Go 1.21, and the sandbox has 1.19.8';
    const run = { exitCode: 1, output: 'undefined: any' };
    expect(judgeInEnvironment(run, state)).toMatchObject({ verdict: 'unavailable', reason });
    expect(environmentNote(state)).toContain(reason);
    const some = { exitCode: 1, output: '=== 3 passed, 1 failed in 0.1s ===' };
    expect(judgeInEnvironment(some, state)).toMatchObject({ verdict: 'failed' });
  });

  it('[EN8] a run without a passed test is not a failing test when something is missing', () => {
    const plan = sessionEvent('environment.planned', { ...planned, toolchains: [missing] });
    const state = fold(plan);
    const run = { exitCode: 1, output: 'Cannot find module x' };
    expect(judgeInEnvironment(run, undefined)).toMatchObject({ verdict: 'failed' });
    expect(judgeInEnvironment(run, state)).toMatchObject({
      verdict: 'unavailable',
      reason: 'Go is not in the sandbox',
    });
    expect(judgeInEnvironment({ exitCode: 0, output: '' }, state)).toMatchObject({
      verdict: 'passed',
    });
    expect(judgeInEnvironment({ exitCode: null, output: '' }, state)).toMatchObject({
      verdict: 'timed-out',
    });
    const some = { exitCode: 1, output: '=== 3 passed, 1 failed in 0.1s ===' };
    expect(judgeInEnvironment(some, state)).toMatchObject({
      verdict: 'failed',
      counts: { passed: 3 },
    });
  });
});
