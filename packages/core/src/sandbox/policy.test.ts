import { shipError } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SANDBOX_POLICY as policy, nextStep, stepNow } from './policy.ts';
import type { SandboxState } from '@ship/protocol';
import type { Demand } from './demand.ts';

const MINUTE_MS = 60_000;
const id = { sandboxId: 'sbx', since: 0 };
const idle: Demand = {
  hasWork: false,
  hasViewers: false,
  lastActiveAt: 0,
  isClosed: false,
  isInUse: false,
  lastCheckedAt: 1,
  isEvictable: false,
};
/** Frozen by Ship, unless a test says otherwise. */
const sandboxOf = (status: 'running' | 'frozen' | 'asleep'): SandboxState =>
  status === 'frozen' ? { status, ...id, byPerson: false } : { status, ...id };

const at = (sandbox: SandboxState, demand: Partial<Demand>, minutes: number) =>
  stepNow(sandbox, { ...idle, ...demand }, minutes * MINUTE_MS, policy);

describe('sandbox policy', () => {
  it('[SB1] created when there is work, not for a viewer', () => {
    expect(at({ status: 'none' }, { hasWork: true }, 0)).toBe('create');
    expect(at({ status: 'none' }, { hasViewers: true }, 0)).toBeUndefined();
    expect(at({ status: 'lost', reason: 'gone', ...id }, { hasWork: true }, 0)).toBe('create');
  });

  it('[SB2] frozen after 5 idle minutes, asleep after 20, destroyed after an hour', () => {
    const offered = { isEvictable: true };
    expect(at({ status: 'running', ...id }, offered, 4.9)).toBeUndefined();
    expect(at({ status: 'running', ...id }, offered, 5)).toBe('freeze');
    expect(at(sandboxOf('frozen'), {}, 19.9)).toBeUndefined();
    expect(at(sandboxOf('frozen'), {}, 20)).toBe('sleep');
    expect(at({ status: 'asleep', ...id }, {}, 59.9)).toBeUndefined();
    expect(at({ status: 'asleep', ...id }, {}, 60)).toBe('destroy');
  });

  it('[SM6] after half an idle minute it is marked evictable once; before its next use the mark is withdrawn', () => {
    const running: SandboxState = { status: 'running', ...id };
    expect(at(running, { isEvictable: false }, 0.49)).toBeUndefined();
    expect(at(running, { isEvictable: false }, 0.5)).toBe('mark-evictable');
    expect(at(running, { isEvictable: true }, 4.9)).toBeUndefined();
    // With a prompt and with a viewer, however recently it was checked.
    const seen = { lastCheckedAt: MINUTE_MS, isEvictable: true };
    expect(at(running, { ...seen, hasWork: true }, 1)).toBe('heartbeat');
    expect(at(running, { ...seen, hasViewers: true }, 1)).toBe('heartbeat');
    expect(at(running, { ...seen, isEvictable: false, hasWork: true }, 1)).toBeUndefined();
  });

  it('[SM6] one that is frozen sooner is never marked evictable', () => {
    const brief = { ...policy, freezeAfterMs: policy.evictableAfterMs };
    const demand = { ...idle, isEvictable: false };
    expect(nextStep({ status: 'running', ...id }, demand, brief)?.step).toBe('freeze');
  });

  it.each(['frozen', 'asleep'] as const)(
    '[SB3] %s: resumed by the next prompt or viewer',
    (status) => {
      expect(at(sandboxOf(status), { hasWork: true }, 90)).toBe('resume');
      expect(at(sandboxOf(status), { hasViewers: true }, 90)).toBe('resume');
    },
  );

  it('[SB12] a sandbox that a person paused is resumed by a prompt, not by a viewer', () => {
    const paused: SandboxState = { status: 'frozen', ...id, byPerson: true };
    expect(at(paused, { hasViewers: true }, 1)).toBeUndefined();
    expect(at(paused, { hasWork: true }, 1)).toBe('resume');
  });

  it('[SB4] never frozen while the agent works or with a viewer', () => {
    expect(at({ status: 'running', ...id }, { hasWork: true }, 90)).toBe('heartbeat');
    expect(at({ status: 'running', ...id }, { hasViewers: true }, 90)).toBe('heartbeat');
  });

  it('[SB4] never frozen while tests run without a turn; that alone neither wakes nor creates one', () => {
    expect(at({ status: 'running', ...id }, { isInUse: true }, 90)).toBe('heartbeat');
    expect(at(sandboxOf('frozen'), { isInUse: true }, 10)).toBeUndefined();
    expect(at({ status: 'none' }, { isInUse: true }, 90)).toBeUndefined();
  });

  it('[SB6] a closed session keeps no sandbox', () => {
    expect(at({ status: 'running', ...id }, { isClosed: true, hasWork: true }, 0)).toBe('destroy');
    expect(at({ status: 'none' }, { isClosed: true, hasWork: true }, 0)).toBeUndefined();
  });

  it('[SB6] a start during the closing of the session is swept', () => {
    const starting: SandboxState = { status: 'starting', attempt: 1, since: 0 };
    expect(at(starting, { isClosed: true }, 0)).toBe('sweep');
  });

  it('[SB13] a start that no process runs is resumed', () => {
    expect(at({ status: 'starting', attempt: 1, since: 0 }, {}, 0)).toBe('create');
  });

  it('[SB14] a checked sandbox is checked again one heartbeat later, not immediately', () => {
    const seen = { hasWork: true, lastCheckedAt: 10 * MINUTE_MS };
    expect(at(sandboxOf('running'), seen, 10)).toBeUndefined();
    expect(at(sandboxOf('running'), seen, 10.5)).toBe('heartbeat');
  });

  it('[SB15] a sandbox with an unknown state is checked now, even if it is new', () => {
    const doubtful = { hasWork: true, lastCheckedAt: 0 };
    expect(at(sandboxOf('running'), doubtful, 0)).toBe('heartbeat');
    expect(at(sandboxOf('running'), { ...doubtful, hasWork: false }, 0)).toBeUndefined();
  });

  it('[SB7] a failed start is retried when due; one that needs a person waits', () => {
    const error = shipError('unavailable', 'Busy.', 'Wait.');
    const retrying: SandboxState = {
      status: 'retrying',
      attempt: 1,
      error,
      nextAttemptAt: MINUTE_MS,
    };
    expect(at(retrying, { hasWork: true }, 0.5)).toBeUndefined();
    expect(at(retrying, { hasWork: true }, 1)).toBe('create');
    expect(at({ status: 'failed', error, since: 0 }, { hasWork: true }, 99)).toBeUndefined();
  });

  it('[SB8] a later step is announced as the next alarm', () => {
    const sandbox = fc.oneof(
      fc.constantFrom<SandboxState>(
        { status: 'none' },
        { status: 'starting', attempt: 1, since: 0 },
      ),
      fc
        .constantFrom('running' as const, 'frozen' as const, 'asleep' as const)
        .map((status): SandboxState => sandboxOf(status)),
    );
    const demand = fc.record({
      hasWork: fc.boolean(),
      hasViewers: fc.boolean(),
      isInUse: fc.boolean(),
      lastActiveAt: fc.nat(90 * MINUTE_MS),
      isClosed: fc.boolean(),
      lastCheckedAt: fc.nat(90 * MINUTE_MS),
      isEvictable: fc.boolean(),
    });
    fc.assert(
      fc.property(sandbox, demand, fc.nat(200 * MINUTE_MS), (state, needs, nowMs) => {
        const due = nextStep(state, needs, policy);
        expect(stepNow(state, needs, nowMs, policy)).toBe(
          due !== undefined && due.at <= nowMs ? due.step : undefined,
        );
        if (due !== undefined) expect(stepNow(state, needs, due.at, policy)).toBe(due.step);
      }),
    );
  });
});
