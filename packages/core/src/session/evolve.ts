import { type DurableEnvelope, type DurableEvent, knownEvent } from '@ship/protocol';
import { evolveSandbox } from '../sandbox/evolve.ts';
import { type SessionState, openTurn } from './state.ts';

/**
 * Folds one event into the state. Total and free of I/O: the session's object, the browser and the CLI run this very
 * function, so they cannot disagree. Events of unknown types only move `seq`: an old client must not lose its place.
 */
export function evolve(
  state: SessionState | undefined,
  envelope: DurableEnvelope,
): SessionState | undefined {
  const event = knownEvent(envelope);
  if (event?.type === 'session.created' && state === undefined) return created(event);
  if (state === undefined) return undefined;
  const next = event === undefined ? state : touch(apply(state, event), event);
  return { ...next, seq: envelope.seq };
}

export function evolveAll(
  state: SessionState | undefined,
  envelopes: Iterable<DurableEnvelope>,
): SessionState | undefined {
  let folded = state;
  for (const envelope of envelopes) folded = evolve(folded, envelope);
  return folded;
}

/** Sandbox events are our own doing; everything else is work or a person's word and counts as activity. */
function touch(state: SessionState, event: DurableEvent): SessionState {
  const sandbox = evolveSandbox(state.sandbox, event);
  return event.type.startsWith('sandbox.')
    ? { ...state, sandbox }
    : { ...state, lastActiveAt: event.at };
}

function created({ seq, at, data }: DurableEvent & { type: 'session.created' }): SessionState {
  return {
    sessionId: data.sessionId,
    title: data.title,
    repository: data.repository,
    model: data.model,
    createdAt: at,
    queue: [],
    current: undefined,
    activity: { status: 'idle' },
    sandbox: { status: 'none' },
    lastActiveAt: at,
    turnsFinished: 0,
    seq,
  };
}

function apply(state: SessionState, event: DurableEvent): SessionState {
  switch (event.type) {
    case 'session.created':
      return state;
    case 'session.renamed':
      return { ...state, title: event.data.title };
    case 'session.closed':
      return { ...state, queue: [], activity: { status: 'closed', by: event.data.by } };
    case 'model.changed':
      return { ...state, model: event.data.model };
    case 'prompt.queued':
      return { ...state, queue: [...state.queue, event.data] };
    case 'prompt.withdrawn':
      return { ...state, queue: state.queue.filter((p) => p.promptId !== event.data.promptId) };
    case 'turn.started':
      return turnStarted(state, event);
    case 'turn.stop-requested': {
      const turn = openTurn(state.activity);
      return turn === undefined
        ? state
        : { ...state, activity: { status: 'stopping', turn, by: event.data.by } };
    }
    case 'turn.retry-scheduled': {
      const turn = openTurn(state.activity);
      const { error, nextAttemptAt } = event.data;
      return turn === undefined
        ? state
        : { ...state, activity: { status: 'retrying', turn, error, nextAttemptAt } };
    }
    case 'turn.finished':
      return turnFinished(state, event);
    default:
      return state;
  }
}

function turnStarted(
  state: SessionState,
  { data, at }: DurableEvent & { type: 'turn.started' },
): SessionState {
  const prompt = state.queue.find((p) => p.promptId === data.promptId) ?? state.current;
  return {
    ...state,
    queue: state.queue.filter((p) => p.promptId !== data.promptId),
    current: prompt,
    activity: { status: 'working', turn: { ...data, startedAt: at } },
  };
}

function turnFinished(
  state: SessionState,
  { data }: DurableEvent & { type: 'turn.finished' },
): SessionState {
  const turn = openTurn(state.activity);
  if (turn === undefined) return state;
  const { outcome } = data;
  return {
    ...state,
    turnsFinished: state.turnsFinished + 1,
    activity:
      outcome.kind === 'failed'
        ? { status: 'failed', turn, error: outcome.error }
        : { status: 'idle' },
  };
}
