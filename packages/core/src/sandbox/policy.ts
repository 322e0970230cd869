import type { SandboxState } from '@ship/protocol';
import type { Demand } from './demand.ts';

export interface SandboxPolicy {
  /** A sandbox that is idle for so long may be evicted when others need its memory. */
  evictableAfterMs: number;
  freezeAfterMs: number;
  sleepAfterMs: number;
  destroyAfterMs: number;
  /** Interval while the agent works: extends the sandbox's lifetime, checks its health, keeps the agent's stream open. */
  heartbeatMs: number;
}

const MINUTE_MS = 60_000;

export const DEFAULT_SANDBOX_POLICY: SandboxPolicy = {
  evictableAfterMs: 30_000,
  freezeAfterMs: 5 * MINUTE_MS,
  sleepAfterMs: 20 * MINUTE_MS,
  destroyAfterMs: 60 * MINUTE_MS,
  heartbeatMs: 25_000,
};

/**
 * `create` also adopts the sandbox of an interrupted create; `sweep` destroys it. `mark-evictable` lets the sandbox service
 * reclaim the memory of an idle sandbox when the machine runs short; `heartbeat` withdraws that.
 */
export type SandboxStep =
  | 'create'
  | 'resume'
  | 'mark-evictable'
  | 'freeze'
  | 'sleep'
  | 'destroy'
  | 'heartbeat'
  | 'sweep';

interface Due {
  step: SandboxStep;
  at: number;
}

/** The step to take now; undefined when none is due. */
export function stepNow(
  sandbox: SandboxState,
  demand: Demand,
  nowMs: number,
  policy: SandboxPolicy,
): SandboxStep | undefined {
  const due = nextStep(sandbox, demand, policy);
  return due !== undefined && due.at <= nowMs ? due.step : undefined;
}

/**
 * The next step and when it is due. The Durable Object sets its alarm to this time: one pure function decides both, so they
 * cannot drift apart.
 */
export function nextStep(
  sandbox: SandboxState,
  demand: Demand,
  policy: SandboxPolicy,
): Due | undefined {
  if (demand.isClosed) return closing(sandbox);
  switch (sandbox.status) {
    case 'none':
    case 'lost':
      // A viewer alone does not recreate a lost sandbox: reading old work needs none.
      return demand.hasWork ? { step: 'create', at: 0 } : undefined;
    case 'retrying':
      return { step: 'create', at: sandbox.nextAttemptAt };
    case 'running':
      return running(sandbox.since, demand, policy);
    case 'frozen':
      // A sandbox that a person paused stays paused while people only watch.
      return demand.hasWork || (demand.hasViewers && !sandbox.byPerson)
        ? { step: 'resume', at: 0 }
        : frozen(demand, policy);
    case 'asleep':
      return isNeeded(demand)
        ? { step: 'resume', at: 0 }
        : idle('destroy', policy.destroyAfterMs, demand);
    case 'starting':
      return { step: 'create', at: 0 };
    case 'failed':
      return undefined;
  }
}

function closing(sandbox: SandboxState): Due | undefined {
  switch (sandbox.status) {
    case 'none':
    case 'lost':
      return undefined;
    case 'starting':
    case 'retrying':
    case 'failed':
      return { step: 'sweep', at: 0 };
    default:
      return { step: 'destroy', at: 0 };
  }
}

function running(since: number, demand: Demand, policy: SandboxPolicy): Due {
  if (!isNeeded(demand) && !demand.isInUse) {
    const isOffered = demand.isEvictable || policy.evictableAfterMs >= policy.freezeAfterMs;
    return isOffered
      ? idle('freeze', policy.freezeAfterMs, demand)
      : idle('mark-evictable', policy.evictableAfterMs, demand);
  }
  if (isDoubtful(demand) || demand.isEvictable) return { step: 'heartbeat', at: 0 };
  return { step: 'heartbeat', at: Math.max(since, demand.lastCheckedAt) + policy.heartbeatMs };
}

/** Whether a failure made the sandbox's state unknown. Check it before the next use, even if it is new. */
export function isDoubtful({ lastCheckedAt }: Pick<Demand, 'lastCheckedAt'>): boolean {
  return lastCheckedAt === 0;
}

/** A policy may destroy before it puts to sleep; the earlier step counts. */
function frozen(demand: Demand, policy: SandboxPolicy): Due {
  return policy.destroyAfterMs <= policy.sleepAfterMs
    ? idle('destroy', policy.destroyAfterMs, demand)
    : idle('sleep', policy.sleepAfterMs, demand);
}

function idle(step: SandboxStep, afterMs: number, { lastActiveAt }: Demand): Due {
  return { step, at: lastActiveAt + afterMs };
}

function isNeeded({ hasWork, hasViewers }: Demand): boolean {
  return hasWork || hasViewers;
}
