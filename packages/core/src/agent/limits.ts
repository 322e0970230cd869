import {
  type AgentTurn,
  DEFAULT_STEPS_PER_TURN,
  type Paused,
  type PauseReason,
} from '@ship/protocol';

export interface AgentLimits {
  maxSteps: number;
  /** The same tool failing so often in a row ends the turn. */
  toolFailures: number;
  /** The same call with the same result so often among the newest calls ends the turn. */
  sameCalls: number;
  /** The longest that one tool may run. */
  operationTimeoutMs: number;
  turnTimeoutMs: number;
  /** The longest that nothing at all may be heard. */
  noProgressMs: number;
  /** The longest that the provider may let the agent wait. */
  parkedMs: number;
}

const MINUTE_MS = 60_000;

export const DEFAULT_AGENT_LIMITS: AgentLimits = {
  maxSteps: DEFAULT_STEPS_PER_TURN,
  toolFailures: 3,
  sameCalls: 4,
  operationTimeoutMs: 15 * MINUTE_MS,
  turnTimeoutMs: 60 * MINUTE_MS,
  noProgressMs: 10 * MINUTE_MS,
  parkedMs: 5 * MINUTE_MS,
};

export type LimitDecision = { kind: 'go-on' } | ({ kind: 'stop' } & Omit<Paused, 'kind'>);

const GO_ON: LimitDecision = { kind: 'go-on' };

/**
 * Whether the turn may go on. The agent's own limits are advisory: it was seen to run 29 steps with a limit of 2. So they
 * are kept here, from what is in the log, and a restart does not reset them.
 * `lastHeardAt` is when the agent gave the last sign of life, also one that is not in the log.
 */
export function checkLimits(
  turn: AgentTurn,
  limits: AgentLimits,
  nowMs: number,
  lastHeardAt: number,
): LimitDecision {
  // With its last answer the agent may be at the limit and done: that is no reason to stop it.
  const own = turn.isStepOpen ? turn.step : 0;
  const steps = Math.max(own, ...turn.subagents.map((subagent) => subagent.steps));
  if (steps >= turn.maxSteps)
    return stop(
      'step-limit',
      `The agent took ${steps} steps, the limit for one turn.`,
      CONTINUE_REMEDY,
    );
  const failing = turn.failures.find(({ times }) => times >= limits.toolFailures);
  if (failing !== undefined)
    return stop(
      'tool-failures',
      `The tool ${failing.tool} failed ${failing.times} times in a row.`,
    );
  const repeated = loopIn(turn, limits.sameCalls);
  if (repeated !== undefined)
    return stop('loop', `The agent repeats itself: ${repeated} with the same input and result.`);
  // A person may take all the time in the world.
  return turn.waitingSince === null ? checkTimes(turn, limits, nowMs, lastHeardAt) : GO_ON;
}

function checkTimes(
  turn: AgentTurn,
  limits: AgentLimits,
  nowMs: number,
  lastHeardAt: number,
): LimitDecision {
  const { provider } = turn;
  if (provider !== null && provider.nextAttemptAt - nowMs > limits.parkedMs) {
    return stop(
      'provider-parked',
      `The model provider takes no request for another ${minutes(provider.nextAttemptAt - nowMs)}.`,
      'Choose another model, or continue later.',
      provider.nextAttemptAt,
    );
  }
  if (nowMs - turn.promptedAt - turn.waitedMs > limits.turnTimeoutMs)
    return stop('turn-timeout', `The turn took longer than ${minutes(limits.turnTimeoutMs)}.`);
  const slow = turn.runningTools.find(
    ({ startedAt }) => nowMs - startedAt > limits.operationTimeoutMs,
  );
  if (slow !== undefined) {
    const time = minutes(limits.operationTimeoutMs);
    return stop('operation-timeout', `The tool ${slow.tool} did not end within ${time}.`);
  }
  const heardAt = Math.max(lastHeardAt, turn.lastProgressAt);
  if (turn.runningTools.length === 0 && nowMs - heardAt > limits.noProgressMs)
    return stop('no-progress', `Nothing was heard for ${minutes(limits.noProgressMs)}.`);
  return GO_ON;
}

/** Not only in a row: two calls that take turns are a loop too. */
function loopIn({ recentCalls }: AgentTurn, sameCalls: number): string | undefined {
  const newest = recentCalls.at(-1);
  if (newest === undefined) return undefined;
  const times = recentCalls.filter(({ hash }) => hash === newest.hash).length;
  return times >= sameCalls ? newest.tool : undefined;
}

const REMEDY = 'Look at what was done so far, then tell the agent how to go on.';

const CONTINUE_REMEDY =
  'Continue with as many steps again (ship continue), or tell the agent what to do differently.';

function stop(
  reason: PauseReason,
  message: string,
  remedy = REMEDY,
  notBefore: number | null = null,
): LimitDecision {
  return { kind: 'stop', reason, message, remedy, notBefore };
}

function minutes(ms: number): string {
  return ms < MINUTE_MS ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / MINUTE_MS)} min`;
}
