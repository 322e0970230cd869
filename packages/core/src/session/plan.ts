import type { SessionState } from '@ship/protocol';
import { type SandboxPolicy, type SandboxStep, isDoubtful, nextStep } from '../sandbox/policy.ts';
import { nextObservation } from '../git/observe.ts';
import { nextCleanup } from '../git/tidy.ts';
import { openTurn } from './state.ts';

/** Facts that the Durable Object knows in addition to its log. */
export interface Facts {
  hasViewers: boolean;
  /** When the session last had a viewer. */
  lastViewedAt: number;
  /** When the sandbox was last checked. 0: a failure has made its state unknown since. */
  lastCheckedAt: number;
  /** The sandbox service may reclaim the idle sandbox's memory. */
  isEvictable: boolean;
  /** Without an agent, prompts stay queued. */
  hasAgent: boolean;
  /** This process is running a turn. */
  isTurnDriven: boolean;
  /** The branch is being changed or tested without a turn. */
  isBranchChanging: boolean;
  /** Other sessions are working; do not ask for a turn before this time. */
  noTurnBefore: number;
  /** When the forge was last polled for changes by others. */
  lastObservedAt: number;
  /** Attempts to delete a closed session's refs at the forge, and the time of the last one. */
  tidyAttempts: number;
  tidyTriedAt: number;
}

/**
 * `start`: start the next prompt or the next attempt. `drive`: resume the open turn that no process runs, as after a crash.
 * `observe`: poll the forge for changes by others. `tidy`: delete a closed session's refs at the forge.
 */
export type SessionStep =
  | { kind: 'sandbox'; step: SandboxStep }
  | { kind: 'turn'; step: 'start' | 'drive' }
  | { kind: 'forge'; step: 'observe' | 'tidy' };

export interface Plan {
  due: SessionStep[];
  /** When to plan again if nothing happens before; null when only a person can change anything. */
  nextAt: number | null;
}

/**
 * The steps that are due now, and when to plan again. The Durable Object performs the steps and sets its alarm to that time: one
 * function decides both, so they cannot drift apart.
 */
export function plan(
  state: SessionState,
  facts: Facts,
  nowMs: number,
  policy: SandboxPolicy,
): Plan {
  const steps = [
    sandboxStep(state, facts, policy),
    turnStep(state, facts),
    forgeStep(state, facts),
    tidyStep(state, facts),
  ].filter((step) => step !== undefined);
  const later = steps.filter(({ at }) => at > nowMs).map(({ at }) => at);
  return {
    due: steps.filter(({ at }) => at <= nowMs).map(({ step }) => step),
    nextAt: later.length === 0 ? null : Math.min(...later),
  };
}

interface Scheduled {
  step: SessionStep;
  at: number;
}

function sandboxStep(
  state: SessionState,
  facts: Facts,
  policy: SandboxPolicy,
): Scheduled | undefined {
  const due = nextStep(state.sandbox, demandOf(state, facts), policy);
  return due && { step: { kind: 'sandbox', step: due.step }, at: due.at };
}

function demandOf(state: SessionState, facts: Facts) {
  return {
    hasWork: hasWork(state),
    hasViewers: facts.hasViewers,
    isInUse: facts.isBranchChanging,
    lastActiveAt: Math.max(state.lastActiveAt, facts.lastViewedAt),
    lastCheckedAt: facts.lastCheckedAt,
    isEvictable: facts.isEvictable,
    isClosed: state.activity.status === 'closed',
  };
}

/** Whether a turn is open or may start. Prompts after a failed or stopped turn wait for a person and need no sandbox. */
export function hasWork({ activity, queue }: SessionState): boolean {
  return openTurn(activity) !== undefined || (activity.status === 'idle' && queue.length > 0);
}

function turnStep({ activity, queue, sandbox }: SessionState, facts: Facts): Scheduled | undefined {
  if (!facts.hasAgent || sandbox.status !== 'running') return undefined;
  // An attempt in a sandbox that is lost, or that may be evicted at any moment, would be wasted.
  const mayStart = !isDoubtful(facts) && !facts.isEvictable;
  switch (activity.status) {
    case 'idle':
      return mayStart && queue.length > 0 ? start(facts.noTurnBefore) : undefined;
    case 'retrying':
      return mayStart ? start(Math.max(activity.nextAttemptAt, facts.noTurnBefore)) : undefined;
    case 'working':
    case 'stopping':
      return facts.isTurnDriven ? undefined : { step: { kind: 'turn', step: 'drive' }, at: 0 };
    case 'failed':
    case 'paused':
    case 'held':
    case 'closed':
      return undefined;
  }
}

function start(at: number): Scheduled {
  return { step: { kind: 'turn', step: 'start' }, at };
}

function forgeStep(state: SessionState, facts: Facts): Scheduled | undefined {
  const at = nextObservation(state, facts);
  return at === undefined ? undefined : { step: { kind: 'forge', step: 'observe' }, at };
}

function tidyStep(state: SessionState, facts: Facts): Scheduled | undefined {
  const at = facts.hasAgent ? nextCleanup(state, facts) : undefined;
  return at === undefined ? undefined : { step: { kind: 'forge', step: 'tidy' }, at };
}
