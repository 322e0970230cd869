import type { SandboxObservation, SessionCommand, SessionState } from '@ship/protocol';
import { decideAgent } from '../agent/decide.ts';
import { decideSandbox } from '../sandbox/decide.ts';
import { decideQueue } from './decide-queue.ts';
import { decideTurn, startAgain } from './decide-turn.ts';
import { type Decision, type Rules, accept, reject } from './decision.ts';
import { sessionEvent } from './event.ts';
import { openTurn } from './state.ts';

/**
 * Decides which events a command causes, or why it is rejected. Pure: time and jitter are arguments, so the same input always
 * gives the same result.
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
  // Observations of the sandbox count for a closed session too: its sandbox must still be destroyed.
  if (isObservation(command))
    return accept(...decideSandbox(state.sandbox, command, nowMs, rules.retry));
  if (state.activity.status === 'closed') {
    return reject(
      'session-closed',
      'This session is closed.',
      'Start a new session to continue the work.',
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
    case 'budget.change':
      return changeBudget(state, command);
    case 'question.answer':
    case 'permission.answer':
    case 'plan.decide':
    case 'mode.change':
      return decideAgent(state.agent, command);
    case 'prompt.enqueue':
    case 'prompt.withdraw':
    case 'prompt.edit':
    case 'prompt.move':
      return decideQueue(state, command);
    case 'turn.start':
    case 'turn.stop':
    case 'turn.retry':
    case 'turn.fail':
    case 'turn.finish':
      return decideTurn(state, command, nowMs, rules.retry);
  }
}

function isObservation(command: SessionCommand): command is SandboxObservation {
  return command.type.startsWith('sandbox.') || command.type === 'stage.finish';
}

/** Creation also requests a sandbox, so that no client ever sees a session without one. */
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
  const { type: _, prompt, maxStepsPerTurn = null, ...data } = command;
  return accept(
    sessionEvent('session.created', { ...data, maxStepsPerTurn }),
    ...(prompt === null ? [] : [sessionEvent('prompt.queued', prompt)]),
    sessionEvent('sandbox.requested', { attempt: 1 }),
  );
}

/** Ends an open turn first: no turn may outlive its session. */
function close(state: SessionState, by: string): Decision {
  const turn = openTurn(state.activity);
  const ended =
    turn === undefined
      ? []
      : [sessionEvent('turn.finished', { turnId: turn.turnId, outcome: { kind: 'stopped', by } })];
  return accept(...ended, sessionEvent('session.closed', { by }));
}

/** A raised budget also continues a turn that was paused by the budget. */
function changeBudget(
  state: SessionState,
  { budgetUsd, turnId, by }: SessionCommand & { type: 'budget.change' },
): Decision {
  const { activity, queue, budgetUsd: before } = state;
  if (budgetUsd === before) return accept();
  const isRaised = budgetUsd === null || before === null || budgetUsd > before;
  const waitsForIt = activity.status === 'paused' && activity.pause.reason === 'budget';
  return accept(
    sessionEvent('budget.changed', { budgetUsd, by }),
    ...(isRaised && waitsForIt ? startAgain(activity, queue, turnId) : []),
  );
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
