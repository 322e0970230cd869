import {
  type AgentState,
  type SessionCommand,
  type SessionState,
  type ShipError,
  type Turn,
  type TurnId,
  shipError,
} from '@ship/protocol';
import { type RetryPolicy, nextRetry } from '../retry/policy.ts';
import { type Decision, accept, reject } from './decision.ts';
import { sessionEvent } from './event.ts';
import { openTurn } from './state.ts';

type TurnCommand = Extract<SessionCommand, { type: `turn.${string}` }>;

export function decideTurn(
  state: SessionState,
  command: TurnCommand,
  nowMs: number,
  retry: RetryPolicy,
): Decision {
  switch (command.type) {
    case 'turn.start':
      return startTurn(state, command.turnId, nowMs);
    case 'turn.stop':
      return stopTurn(state, command.by, command.clearQueue);
    case 'turn.retry':
      return retryTurn(state, command.turnId);
    case 'turn.fail':
      return failTurn(state, command, nowMs, retry);
    case 'turn.finish':
      return openTurn(state.activity)?.turnId === command.turnId
        ? accept(
            sessionEvent('turn.finished', { turnId: command.turnId, outcome: command.outcome }),
          )
        : noTurn();
  }
}

/** Starts the next prompt, or the next attempt of a turn whose retry is due. A call before that has no effect. */
function startTurn(state: SessionState, turnId: TurnId, nowMs: number): Decision {
  const { activity, queue } = state;
  if (activity.status === 'retrying') {
    if (nowMs < activity.nextAttemptAt) return accept();
    const { startedAt: _, ...turn } = activity.turn;
    const next = { ...turn, attempt: turn.attempt + 1 };
    return accept(sessionEvent('turn.started', next));
  }
  const next = queue[0];
  if (activity.status !== 'idle' || next === undefined) return accept();
  const { promptId } = next;
  return accept(sessionEvent('turn.started', { turnId, promptId, attempt: 1, continues: false }));
}

/** A turn that only waits for its retry has nothing to interrupt, so it ends at once. */
function stopTurn({ activity, queue }: SessionState, by: string, clearQueue: boolean): Decision {
  const cleared = clearQueue
    ? queue.map(({ promptId }) => sessionEvent('prompt.withdrawn', { promptId }))
    : [];
  switch (activity.status) {
    case 'working':
      return accept(
        sessionEvent('turn.stop-requested', { turnId: activity.turn.turnId, by }),
        ...cleared,
      );
    case 'retrying':
      return accept(
        sessionEvent('turn.finished', {
          turnId: activity.turn.turnId,
          outcome: { kind: 'stopped', by },
        }),
        ...cleared,
      );
    case 'stopping':
      return accept(...cleared);
    default:
      // No turn has started yet: there are only queued prompts to withdraw.
      return cleared.length > 0 ? accept(...cleared) : noTurn();
  }
}

function retryTurn({ activity, sandbox, queue }: SessionState, turnId: TurnId): Decision {
  const again = startAgain(activity, queue, turnId);
  if (sandbox.status === 'failed' || sandbox.status === 'retrying')
    return accept(sessionEvent('sandbox.requested', { attempt: 1 }), ...again);
  return again.length > 0
    ? accept(...again)
    : reject('nothing-to-retry', 'Nothing has failed.', 'Send a new prompt instead.');
}

/** A new turn for the prompt of a failed or paused turn, or the first turn for a queue that a stop holds back. */
export function startAgain(
  activity: SessionState['activity'],
  [first]: SessionState['queue'],
  turnId: TurnId,
) {
  const { status } = activity;
  if (status === 'failed' || status === 'paused') {
    const { promptId } = activity.turn;
    return [sessionEvent('turn.started', { turnId, promptId, attempt: 1, continues: true })];
  }
  if (status !== 'held' || first === undefined) return [];
  const { promptId } = first;
  return [sessionEvent('turn.started', { turnId, promptId, attempt: 1, continues: false })];
}

function failTurn(
  { activity, agent }: SessionState,
  { turnId, error, jitter }: TurnCommand & { type: 'turn.fail' },
  nowMs: number,
  policy: RetryPolicy,
): Decision {
  const turn = openTurn(activity);
  if (turn?.turnId !== turnId) return noTurn();
  // After Stop the turn must not be retried.
  if (activity.status === 'stopping') {
    return accept(
      sessionEvent('turn.finished', { turnId, outcome: { kind: 'stopped', by: activity.by } }),
    );
  }
  const retry = nextRetry(error.category, attemptsInARow(turn, agent), jitter, policy);
  if (retry !== undefined && turn.attempt >= policy.maxTotalAttempts) {
    const outcome = { kind: 'failed', error: attemptsUsedUp(turn, error) } as const;
    return accept(sessionEvent('turn.finished', { turnId, outcome }));
  }
  return retry === undefined
    ? accept(sessionEvent('turn.finished', { turnId, outcome: { kind: 'failed', error } }))
    : accept(
        sessionEvent('turn.retry-scheduled', {
          turnId,
          error,
          nextAttemptAt: nowMs + retry.delayMs,
        }),
      );
}

const MAX_MESSAGE = 2_000;

/**
 * Attempts are counted per turn in the log: neither progress nor a restart resets the count. Otherwise an agent that breaks the
 * steps after its work could repeat one prompt, and pay for model calls, forever.
 */
function attemptsUsedUp({ attempt }: Turn, { message }: ShipError): ShipError {
  return shipError(
    'attempts-exhausted',
    `Ship tried this prompt ${attempt} times, and each attempt was interrupted. The last one: ${message}`.slice(
      0,
      MAX_MESSAGE,
    ),
    'Check the timeline for the cause, then retry: that starts a new count of attempts.',
  );
}

/** Attempts since the agent last made progress: one that is killed several times but continues has not failed. */
function attemptsInARow({ turnId, attempt }: Turn, agent: AgentState): number {
  const progressed = agent.turn?.turnId === turnId ? agent.turn.progressedAttempt : 0;
  return attempt - Math.max(progressed, 1) + 1;
}

function noTurn(): Decision {
  return reject(
    'no-turn-running',
    'The agent is not working on that turn.',
    'No action is needed.',
  );
}
