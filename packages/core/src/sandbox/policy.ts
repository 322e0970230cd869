import type { Demand, Sandbox } from './state.ts';

export interface SandboxPolicy {
  freezeAfterMs: number;
  sleepAfterMs: number;
  destroyAfterMs: number;
  /** While the agent works: extends the sandbox's life, checks its health, keeps the agent's stream open. */
  heartbeatMs: number;
}

const MINUTE_MS = 60_000;

export const DEFAULT_SANDBOX_POLICY: SandboxPolicy = {
  freezeAfterMs: 5 * MINUTE_MS,
  sleepAfterMs: 20 * MINUTE_MS,
  destroyAfterMs: 60 * MINUTE_MS,
  heartbeatMs: 25_000,
};

export type SandboxStep = 'create' | 'resume' | 'freeze' | 'sleep' | 'destroy' | 'heartbeat';

interface Due {
  step: SandboxStep;
  at: number;
}

/** What to do with the sandbox now; undefined means "leave it as it is". */
export function stepNow(
  sandbox: Sandbox,
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
export function nextStep(sandbox: Sandbox, demand: Demand, policy: SandboxPolicy): Due | undefined {
  if (demand.isClosed) return 'sandboxId' in sandbox ? { step: 'destroy', at: 0 } : undefined;
  switch (sandbox.status) {
    case 'none':
    case 'lost':
      // A viewer alone does not bring back a sandbox that is gone: reading old work needs none.
      return demand.hasWork ? { step: 'create', at: 0 } : undefined;
    case 'retrying':
      return demand.hasWork ? { step: 'create', at: sandbox.nextAttemptAt } : undefined;
    case 'running':
      return running(sandbox.since, demand, policy);
    case 'frozen':
      return isNeeded(demand) ? { step: 'resume', at: 0 } : frozen(demand, policy);
    case 'asleep':
      return isNeeded(demand)
        ? { step: 'resume', at: 0 }
        : idle('destroy', policy.destroyAfterMs, demand);
    case 'starting':
    case 'failed':
      return undefined;
  }
}

function running(since: number, demand: Demand, policy: SandboxPolicy): Due {
  if (isNeeded(demand)) return { step: 'heartbeat', at: since + policy.heartbeatMs };
  return demand.isMemoryShort
    ? { step: 'sleep', at: 0 }
    : idle('freeze', policy.freezeAfterMs, demand);
}

/** A policy may put destruction before sleep; the earlier of the two counts. */
function frozen(demand: Demand, policy: SandboxPolicy): Due {
  if (demand.isMemoryShort) return { step: 'sleep', at: 0 };
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
