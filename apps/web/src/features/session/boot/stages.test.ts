import { shipError } from '@ship/protocol';
import type { SessionState } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { bootRows, isBooting } from './stages.ts';

type Boot = Pick<SessionState, 'stages' | 'sandbox' | 'queue' | 'activity'>;
const idle: Boot = {
  stages: [],
  sandbox: { status: 'none' },
  queue: [],
  activity: { status: 'idle' },
};
const stage = (name: 'sandbox' | 'clone' | 'setup' | 'agent', finishedAt: number) => ({
  stage: name,
  finishedAt,
  durationMs: 5,
  error: null,
});
const running = { status: 'running', sandboxId: 's', since: 10 } as const;
const states = (boot: Boot) => bootRows(boot).map(({ state }) => state);

describe('the boot checklist', () => {
  it('has one running stage: the first that is not done', () => {
    const starting = { ...idle, sandbox: { status: 'starting', attempt: 1, since: 10 } } as const;
    expect(states(starting)).toEqual(['running', 'waiting', 'waiting', 'waiting']);
    expect(states({ ...idle, sandbox: running, stages: [stage('sandbox', 11)] })).toEqual([
      'done',
      'running',
      'waiting',
      'waiting',
    ]);
  });

  it('ignores the stages of a sandbox that is being replaced', () => {
    const replaced: Boot = {
      ...idle,
      sandbox: { status: 'starting', attempt: 1, since: 100 },
      stages: [stage('sandbox', 11), stage('clone', 12)],
    };
    expect(states(replaced)[0]).toBe('running');
  });

  it('shows the failed stage', () => {
    const error = shipError('internal', 'm', 'r');
    const failed: Boot = {
      ...idle,
      sandbox: running,
      stages: [{ ...stage('sandbox', 11), error }],
    };
    expect(bootRows(failed)[0]).toMatchObject({ state: 'failed', error });
  });

  it('is hidden for an idle session', () => {
    expect(isBooting(idle)).toBe(false);
    expect(isBooting({ ...idle, sandbox: running })).toBe(false);
  });
});
