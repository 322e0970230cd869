import {
  type Prompt,
  type SandboxObservation,
  type SessionCommand,
  type SessionEvent,
  type ShipError,
  type TurnId,
  shipError,
} from '@ship/protocol';
import { type RetryPolicy, nextRetry } from '../retry/policy.ts';
import { decideSandbox } from '../sandbox/decide.ts';
import { sessionEvent } from './event.ts';
import { MAX_QUEUED_PROMPTS, type SessionState, openTurn } from './state.ts';

export type Decision =
  | { kind: 'events'; events: SessionEvent[] }
  | { kind: 'rejected'; error: ShipError };

export interface Rules {
  retry: RetryPolicy;
}

/**
 * What a command makes happen, or why it is refused. No clock, no randomness, no I/O: time and jitter come in with
 * the call, so that the same question always has the same answer.
 */
export function decide(
  state: SessionState | undefined,
  command: SessionCommand,
  nowMs: number,
  rules: Rules,
): Decision {
  if (command.type === 'session.create') return create(state, command);
  if (state === undefined)
    return reject('not-found', 'There is no such session.', 'List the sessions and pick one.');
  // What became of the sandbox is still worth knowing when the session is closed: it has to be ended.
  if (isObservation(command))
    return accept(...decideSandbox(state.sandbox, command, nowMs, rules.retry));
  if (state.activity.status === 'closed') {
    return reject(
      'session-closed',
      'This session is closed.',
      'Start a new session to go on with the work.',
    );
  }
  switch (command.type) {
    case 'session.rename':
      return command.title === state.title
        ? accept()
        : accept(sessionEvent('session.renamed', { title: command.title }));
    case 'session.close':
      return close(state, command.by);
    case 'model.change':
      return changeModel(state, command.model);
    case 'prompt.enqueue':
      return enqueue(state, command.prompt);
    case 'prompt.withdraw':
      return state.queue.some((p) => p.promptId === command.promptId)
        ? accept(sessionEvent('prompt.withdrawn', { promptId: command.promptId }))
        : reject(
            'prompt-not-queued',
            'That prompt is not waiting.',
            'It may have started already: stop the turn instead.',
          );
    case 'turn.start':
      return startTurn(state, command.turnId, nowMs);
    case 'turn.stop':
      return stopTurn(state, command.by);
    case 'turn.retry':
      return retryTurn(state, command.turnId);
    case 'turn.fail':
      return failTurn(state, command, nowMs, rules.retry);
    case 'turn.finish':
      return openTurn(state.activity)?.turnId === command.turnId
        ? accept(
            sessionEvent('turn.finished', { turnId: command.turnId, outcome: command.outcome }),
          )
        : noTurn();
  }
}

function isObservation(command: SessionCommand): command is SandboxObservation {
  return command.type.startsWith('sandbox.');
}

function create(
  state: SessionState | undefined,
  command: SessionCommand & { type: 'session.create' },
): Decision {
  if (state !== undefined) {
    return reject(
      'session-exists',
      'A session with this id exists already.',
      'Use a new session id.',
    );
  }
  const { type: _, prompt, ...data } = command;
  return accept(sessionEvent('session.created', data), sessionEvent('prompt.queued', prompt));
}

/** An open turn is ended first: no turn may outlive its session. */
function close(state: SessionState, by: string): Decision {
  const turn = openTurn(state.activity);
  const ended =
    turn === undefined
      ? []
      : [sessionEvent('turn.finished', { turnId: turn.turnId, outcome: { kind: 'stopped', by } })];
  return accept(...ended, sessionEvent('session.closed', { by }));
}

function changeModel(state: SessionState, model: string): Decision {
  if (openTurn(state.activity) !== undefined) {
    return reject(
      'session-busy',
      'The agent is working with the current model.',
      'Stop the turn or wait until it ends, then change the model.',
    );
  }
  return model === state.model ? accept() : accept(sessionEvent('model.changed', { model }));
}

function enqueue(state: SessionState, prompt: Prompt): Decision {
  // Two prompts under one id would leave the queue together, and the second would never be worked on.
  if (
    prompt.promptId === state.current?.promptId ||
    state.queue.some((p) => p.promptId === prompt.promptId)
  ) {
    return reject(
      'prompt-exists',
      'A prompt with this id was sent before.',
      'Use a new prompt id.',
    );
  }
  if (state.queue.length >= MAX_QUEUED_PROMPTS) {
    return reject(
      'queue-full',
      `${MAX_QUEUED_PROMPTS} prompts are waiting already.`,
      'Withdraw one or wait until the agent has caught up.',
    );
  }
  return accept(sessionEvent('prompt.queued', prompt));
}

/** Starts the next prompt, or the next attempt of a turn whose retry is due. Asking too early is harmless. */
function startTurn(state: SessionState, turnId: TurnId, nowMs: number): Decision {
  const { activity, queue } = state;
  if (activity.status === 'retrying') {
    if (nowMs < activity.nextAttemptAt) return accept();
    const { promptId, attempt } = activity.turn;
    return accept(
      sessionEvent('turn.started', {
        turnId: activity.turn.turnId,
        promptId,
        attempt: attempt + 1,
      }),
    );
  }
  const next = queue[0];
  if (activity.status !== 'idle' || next === undefined) return accept();
  return accept(sessionEvent('turn.started', { turnId, promptId: next.promptId, attempt: 1 }));
}

/** A turn that only waits for its retry has nothing to interrupt, so it ends at once. */
function stopTurn({ activity }: SessionState, by: string): Decision {
  switch (activity.status) {
    case 'working':
      return accept(sessionEvent('turn.stop-requested', { turnId: activity.turn.turnId, by }));
    case 'retrying':
      return accept(
        sessionEvent('turn.finished', {
          turnId: activity.turn.turnId,
          outcome: { kind: 'stopped', by },
        }),
      );
    case 'stopping':
      return accept();
    default:
      return noTurn();
  }
}

function retryTurn({ activity }: SessionState, turnId: TurnId): Decision {
  if (activity.status !== 'failed') {
    return reject('nothing-to-retry', 'The last turn did not fail.', 'Send a new prompt instead.');
  }
  return accept(
    sessionEvent('turn.started', { turnId, promptId: activity.turn.promptId, attempt: 1 }),
  );
}

function failTurn(
  { activity }: SessionState,
  { turnId, error, jitter }: SessionCommand & { type: 'turn.fail' },
  nowMs: number,
  policy: RetryPolicy,
): Decision {
  const turn = openTurn(activity);
  if (turn?.turnId !== turnId) return noTurn();
  // A person who pressed Stop must not see the turn come back to life.
  if (activity.status === 'stopping') {
    return accept(
      sessionEvent('turn.finished', { turnId, outcome: { kind: 'stopped', by: activity.by } }),
    );
  }
  const retry = nextRetry(error.category, turn.attempt, jitter, policy);
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

function noTurn(): Decision {
  return reject(
    'no-turn-running',
    'The agent is not working on that turn.',
    'Nothing needs to be done.',
  );
}

function reject(...args: Parameters<typeof shipError>): Decision {
  return { kind: 'rejected', error: shipError(...args) };
}

function accept(...events: SessionEvent[]): Decision {
  return { kind: 'events', events };
}
