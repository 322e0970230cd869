import type { DurableEvent, EnvironmentPlan, EnvironmentState } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { sessionEvent } from '../session/event.ts';
import { environmentNote, evolveEnvironment, obstacle } from './evolve.ts';
import { failureReason } from './failure.ts';
import { judgeHere } from './judge.ts';

describe('why an install failed', () => {
  it('[EN8] is the last line that speaks of an error', () => {
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

describe('what is known of the environment', () => {
  it('[EN8] one failed step is remembered, whatever comes after it; a new plan begins again', () => {
    const plan = sessionEvent('environment.planned', planned);
    expect(fold(plan, finished(null))).toMatchObject({ install: 'done', reason: null });
    const failed = fold(plan, finished('no luck'), finished(null));
    expect(failed).toMatchObject({ install: 'failed', reason: 'npm ci: no luck' });
    expect(obstacle(failed)).toBe('dependencies could not be installed: npm ci: no luck');
    expect(environmentNote(failed)).toContain('npm ci: no luck');
    expect(environmentNote(fold(plan, finished(null)))).toBeNull();
    expect(fold(plan, finished('no luck'), plan)).toMatchObject({ install: 'none', reason: null });
    const reused = sessionEvent('setup.reused', { madeAt: 1, savedMs: 1 });
    expect(fold(plan, reused)).toMatchObject({ install: 'done' });
    expect(fold(reused)).toBeUndefined();
  });

  it('[EN8] a run in which nothing passed is no failing test where something is missing', () => {
    const plan = sessionEvent('environment.planned', { ...planned, toolchains: [missing] });
    const state = fold(plan);
    const run = { exitCode: 1, output: 'Cannot find module x' };
    expect(judgeHere(run, undefined)).toMatchObject({ verdict: 'failed' });
    expect(judgeHere(run, state)).toMatchObject({
      verdict: 'unavailable',
      reason: 'Go is not in the sandbox',
    });
    expect(judgeHere({ exitCode: 0, output: '' }, state)).toMatchObject({ verdict: 'passed' });
    expect(judgeHere({ exitCode: null, output: '' }, state)).toMatchObject({
      verdict: 'timed-out',
    });
    const some = { exitCode: 1, output: '=== 3 passed, 1 failed in 0.1s ===' };
    expect(judgeHere(some, state)).toMatchObject({ verdict: 'failed', counts: { passed: 3 } });
  });
});
