import { type SandboxObservation, type SandboxState, shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_POLICY as retry } from '../retry/policy.ts';
import { decideSandbox } from './decide.ts';
import { evolveSandbox } from './evolve.ts';

/** Applies observations and keeps the state, as the session does. */
function play(
  from: SandboxState,
  ...seen: SandboxObservation[]
): { state: SandboxState; types: string[] } {
  let state = from;
  const types: string[] = [];
  for (const one of seen) {
    for (const event of decideSandbox(state, one, 1_000, retry)) {
      types.push(event.type);
      state = evolveSandbox(state, { ...event, seq: 1, at: 1_000 });
    }
  }
  return { state, types };
}

const none: SandboxState = { status: 'none' };
const running: SandboxState = { status: 'running', sandboxId: 'sbx', since: 0 };
const transient = shipError('unavailable', 'Busy.', 'Wait.');

describe('sandbox observations', () => {
  it('[SB9] the request is stored before the call, the id before it is used', () => {
    const { state, types } = play(
      none,
      { type: 'sandbox.request' },
      { type: 'sandbox.found-ready', sandboxId: 'sbx' },
    );
    expect(types).toEqual(['sandbox.requested', 'sandbox.ready']);
    expect(state).toMatchObject({ status: 'running', sandboxId: 'sbx' });
  });

  it('[SB9] a call that is repeated after a crash changes nothing', () => {
    const ready = { type: 'sandbox.found-ready', sandboxId: 'sbx' } as const;
    expect(play(running, { type: 'sandbox.request' }, ready).types).toEqual([]);
    const frozen = { type: 'sandbox.found-frozen', sandboxId: 'sbx', byPerson: false } as const;
    expect(play(running, frozen, frozen).types).toEqual(['sandbox.frozen']);
  });

  it('[SB10] observations of another sandbox are ignored', () => {
    const frozen = { type: 'sandbox.found-frozen', sandboxId: 'other', byPerson: false } as const;
    expect(play(running, frozen).types).toEqual([]);
    expect(play(running, { type: 'sandbox.found-asleep', sandboxId: 'other' }).types).toEqual([]);
    expect(
      play(running, { type: 'sandbox.ended', sandboxId: 'other', reason: 'idle' }).types,
    ).toEqual([]);
  });

  it('[SB7] transient failures are retried a bounded number of times, others wait for a person', () => {
    let { state } = play(none);
    for (let attempt = 1; attempt <= retry.maxAttempts; attempt++) {
      const due: SandboxState =
        state.status === 'retrying' ? { ...state, nextAttemptAt: 0 } : state;
      state = play(
        due,
        { type: 'sandbox.request' },
        { type: 'sandbox.found-failing', error: transient, jitter: 1 },
      ).state;
    }
    expect(state).toMatchObject({ status: 'failed', error: transient });
    const refused = shipError('credentials-refused', 'No.', 'Check the key.');
    const failing = { type: 'sandbox.found-failing', error: refused, jitter: 1 } as const;
    expect(play(none, { type: 'sandbox.request' }, failing).state.status).toBe('failed');
  });

  it('[SB11] a lost sandbox is reported as lost, and can be requested again', () => {
    const gone = {
      type: 'sandbox.found-gone',
      sandboxId: 'sbx',
      reason: 'it was not found',
    } as const;
    expect(play(running, gone).state).toMatchObject({ status: 'lost', reason: 'it was not found' });
    expect(play(running, gone, { type: 'sandbox.request' }).state).toMatchObject({
      status: 'starting',
      attempt: 1,
    });
  });

  it('[SB3] waking says whether the processes were kept', () => {
    const asleep: SandboxState = { status: 'asleep', sandboxId: 'sbx', since: 0 };
    const awake = { type: 'sandbox.found-awake', sandboxId: 'sbx', processes: 'lost' } as const;
    expect(play(asleep, awake).state.status).toBe('running');
  });
});
