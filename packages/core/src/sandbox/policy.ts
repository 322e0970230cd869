import type { SandboxState } from '@ship/protocol';
import type { Demand } from './demand.ts';

export interface SandboxPolicy {
  /** Idle for so long, a sandbox gives its memory back as soon as others need it; until then only its owner decides. */
  evictableAfterMs: number;
  freezeAfterMs: number;
  sleepAfterMs: number;
  destroyAfterMs: number;
  /** While the agent works: extends the sandbox's life, checks its health, keeps the agent's stream open. */
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
 * `create` also finds what an interrupted create left; `sweep` only ends it. `mark-evictable` lets the sandbox service take
 * the memory of an idle sandbox when the machine runs short; `heartbeat` withdraws that.
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

/** What to do with the sandbox now; undefined means "leave it as it is". */
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
 * The next step and when it is due. The object's alarm is set to this time, so one pure function decides both what
 * happens and when to look again: they cannot drift apart.
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
      // A viewer alone does not bring back a sandbox that is gone: reading old work needs none.
      return demand.hasWork ? { step: 'create', at: 0 } : undefined;
    case 'retrying':
      return { step: 'create', at: sandbox.nextAttemptAt };
    case 'running':
      return running(sandbox.since, demand, policy);
    case 'frozen':
      // What a person paused stays paused while people only look at it.
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

/** Something went wrong in it. However young it is, it must be seen to be there before anything is tried in it again. */
export function isDoubtful({ lastCheckedAt }: Pick<Demand, 'lastCheckedAt'>): boolean {
  return lastCheckedAt === 0;
}

/** A policy may put destruction before sleep; the earlier of the two counts. */
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
