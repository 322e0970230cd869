import type { SessionState } from '@ship/protocol';
import { type SandboxPolicy, type SandboxStep, isDoubtful, nextStep } from '../sandbox/policy.ts';
import { nextObservation } from '../git/observe.ts';
import { nextTidying } from '../git/tidy.ts';
import { openTurn } from './state.ts';

/** What the object knows beside its log. */
export interface Facts {
  hasViewers: boolean;
  /** When somebody last looked. */
  lastViewedAt: number;
  /** When the sandbox was last looked at. 0: something went wrong in it since. */
  lastCheckedAt: number;
  /** The sandbox service may take the memory of the idle sandbox. */
  isEvictable: boolean;
  /** Without an agent, prompts wait and nothing else happens to them. */
  hasAgent: boolean;
  /** A turn is being driven by this very process. */
  isTurnDriven: boolean;
  /** A change of the branch, or a test of it, is under way without a turn. */
  isBranchChanging: boolean;
  /** Others are at work; until then there is no use in asking whether we may. */
  noTurnBefore: number;
  /** When the forge was last asked what others did. */
  lastObservedAt: number;
  /** How often the refs of a closed session were tried to be deleted at the forge, and when last. */
  tidyAttempts: number;
  tidyTriedAt: number;
}

/**
 * `start`: the next prompt, or the next attempt, gets its turn. `drive`: the open turn has nobody who drives it, as after
 * a crash. `observe`: what others did at the forge is asked. `tidy`: refs of a closed session are deleted there.
 */
export type SessionStep =
  | { kind: 'sandbox'; step: SandboxStep }
  | { kind: 'turn'; step: 'start' | 'drive' }
  | { kind: 'forge'; step: 'observe' | 'tidy' };

export interface Plan {
  due: SessionStep[];
  /** When to look again if nothing happens until then; null when only a person can change anything. */
  nextAt: number | null;
}

/**
 * What is to be done now and when to look again. The object does the first and sets its one alarm to the second: they
 * come from one function, so they cannot drift apart.
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

/** Prompts behind a failed or a stopped turn wait for a person, and need no sandbox meanwhile. */
export function hasWork({ activity, queue }: SessionState): boolean {
  return openTurn(activity) !== undefined || (activity.status === 'idle' && queue.length > 0);
}

function turnStep({ activity, queue, sandbox }: SessionState, facts: Facts): Scheduled | undefined {
  if (!facts.hasAgent || sandbox.status !== 'running') return undefined;
  // Attempts in a sandbox that is gone, or that the service may stop at any moment, would be used up for nothing.
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
  const at = facts.hasAgent ? nextTidying(state, facts) : undefined;
  return at === undefined ? undefined : { step: { kind: 'forge', step: 'tidy' }, at };
}
