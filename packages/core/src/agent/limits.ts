import {
  type AgentTurn,
  DEFAULT_STEPS_PER_TURN,
  type Paused,
  type PauseReason,
} from '@ship/protocol';

export interface AgentLimits {
  maxSteps: number;
  /** So many consecutive failures of one tool end the turn. */
  toolFailures: number;
  /** So many identical calls with identical results among the newest calls end the turn. */
  sameCalls: number;
  /** Maximum run time of one tool. */
  operationTimeoutMs: number;
  turnTimeoutMs: number;
  /** Maximum time without any sign of life from the agent. */
  noProgressMs: number;
  /** Maximum time that the provider may make the agent wait. */
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
 * Decides whether the turn may continue. The agent's own limits are advisory (it ran 29 steps with a limit of 2), so Ship
 * enforces them from the log, and a restart does not reset them.
 * `lastHeardAt` is the agent's last sign of life, also one that is not in the log.
 */
export function checkLimits(
  turn: AgentTurn,
  limits: AgentLimits,
  nowMs: number,
  lastHeardAt: number,
): LimitDecision {
  // An agent that reaches the limit with its final answer is done: stopping it would turn a success into a pause.
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
  // Time limits do not run while a question waits for a person.
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
      `The model provider accepts no requests for another ${minutes(provider.nextAttemptAt - nowMs)}.`,
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
    return stop('no-progress', `The agent sent nothing for ${minutes(limits.noProgressMs)}.`);
  return GO_ON;
}

/** Counts calls that are not adjacent too: two alternating calls are also a loop. */
function loopIn({ recentCalls }: AgentTurn, sameCalls: number): string | undefined {
  const newest = recentCalls.at(-1);
  if (newest === undefined) return undefined;
  const times = recentCalls.filter(({ hash }) => hash === newest.hash).length;
  return times >= sameCalls ? newest.tool : undefined;
}

const REMEDY = 'Check what was done so far, then tell the agent how to continue.';

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
