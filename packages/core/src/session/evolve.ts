import {
  type Activity,
  BootStage,
  type DurableEnvelope,
  type DurableEvent,
  type SessionState,
  type StageState,
  type Turn,
  type TurnOutcome,
  knownEvent,
} from '@ship/protocol';
import { evolveAgent } from '../agent/evolve.ts';
import { INITIAL_AGENT } from '../agent/state.ts';
import { evolveEnvironment } from '../environment/evolve.ts';
import { NO_GIT_YET, evolveGit } from '../git/evolve.ts';
import { evolveSandbox } from '../sandbox/evolve.ts';
import { NOT_VERIFIED_YET, evolveVerification } from '../verify/evolve.ts';
import { evolveQueue, without } from './evolve-queue.ts';
import { openTurn } from './state.ts';
import { unreachedPrompts } from './unreached-prompts.ts';

/**
 * Folds one event into the state. Pure and total: the session's Durable Object, the browser and the CLI all run this function,
 * so they cannot disagree. An unknown event only advances `seq`: an old client must keep its position in the log.
 */
export function evolve(
  state: SessionState | undefined,
  envelope: DurableEnvelope,
): SessionState | undefined {
  const event = knownEvent(envelope);
  return event === undefined ? skip(state, envelope.seq) : fold(state, event);
}

/** Folds an event that is already parsed. */
export function fold(
  state: SessionState | undefined,
  event: DurableEvent,
): SessionState | undefined {
  if (event.type === 'session.created' && state === undefined) return created(event);
  if (state === undefined) return undefined;
  const applied = apply(state, event);
  // One copy: this runs for every event, and each further spread of the state doubles the cost.
  return {
    ...applied,
    sandbox: evolveSandbox(applied.sandbox, event),
    agent: evolveAgent(applied.agent, event),
    git: evolveGit(applied.git, event),
    verification: evolveVerification(applied.verification, event, applied.current),
    lastActiveAt: isActivity(event) ? event.at : applied.lastActiveAt,
    seq: event.seq,
  };
}

export function evolveAll(
  state: SessionState | undefined,
  envelopes: Iterable<DurableEnvelope>,
): SessionState | undefined {
  let folded = state;
  for (const envelope of envelopes) folded = evolve(folded, envelope);
  return folded;
}

function skip(state: SessionState | undefined, seq: number): SessionState | undefined {
  return state && { ...state, seq };
}

/** Changes that others made at the forge are not activity: they must not keep a sandbox awake. */
const FORGE_OBSERVATIONS: ReadonlySet<string> = new Set([
  'pull-request.state-changed',
  'branch.moved-outside',
  'branch.deleted',
  'repository.moved',
]);

/** Ship itself causes sandbox events; everything else is work or a person's action and counts as activity. */
function isActivity({ type }: DurableEvent): boolean {
  const isOwn = type.startsWith('sandbox.') || type === 'stage.finished';
  return !isOwn && !FORGE_OBSERVATIONS.has(type);
}

function created({ seq, at, data }: DurableEvent & { type: 'session.created' }): SessionState {
  const { mode, maxStepsPerTurn = null, ...facts } = data;
  return {
    ...facts,
    maxStepsPerTurn,
    createdAt: at,
    queue: [],
    current: null,
    unreached: [],
    activity: { status: 'idle' },
    sandbox: { status: 'none' },
    agent: { ...INITIAL_AGENT, mode },
    git: NO_GIT_YET,
    verification: NOT_VERIFIED_YET,
    stages: [],
    lastActiveAt: at,
    firsts: { tokenAt: null, pullRequestAt: null },
    turnsFinished: 0,
    seq,
  };
}

function apply(state: SessionState, event: DurableEvent): SessionState {
  switch (event.type) {
    case 'session.renamed':
      return { ...state, title: event.data.title, titledBy: 'person' };
    case 'session.named':
      return event.data.title === null
        ? state
        : { ...state, title: event.data.title, titledBy: 'model' };
    case 'session.closed':
      return { ...state, queue: [], activity: { status: 'closed', by: event.data.by } };
    case 'setup.proved':
      return { ...state, setupProof: event.data };
    case 'model.changed':
      return { ...state, model: event.data.model };
    case 'budget.changed':
      return { ...state, budgetUsd: event.data.budgetUsd };
    case 'prompt.queued':
    case 'prompt.withdrawn':
    case 'prompt.edited':
    case 'prompt.moved':
      return evolveQueue(state, event);
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
    case 'text.finished':
    case 'tool.started':
      return state.firsts.tokenAt === null
        ? { ...state, firsts: { ...state.firsts, tokenAt: event.at } }
        : state;
    case 'pull-request.opened':
      return state.firsts.pullRequestAt === null
        ? { ...state, firsts: { ...state.firsts, pullRequestAt: event.at } }
        : state;
    case 'environment.planned':
    case 'install.finished':
    case 'setup.reused': {
      const environment = evolveEnvironment(state.environment, event);
      return environment === undefined ? state : { ...state, environment };
    }
    case 'stage.finished':
      return { ...state, stages: withStage(state.stages, event) };
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
    unreached: unreachedPrompts(state, data.promptId),
    queue: without(state.queue, data.promptId),
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
    activity: afterTurn(turn, outcome, state.queue.length > 0),
  };
}

function afterTurn(turn: Turn, outcome: TurnOutcome, isQueued: boolean): Activity {
  switch (outcome.kind) {
    case 'failed':
      return { status: 'failed', turn, error: outcome.error };
    case 'paused':
      return { status: 'paused', turn, pause: outcome };
    case 'stopped':
      return isQueued ? { status: 'held', by: outcome.by } : { status: 'idle' };
    case 'completed':
      return { status: 'idle' };
  }
}

/** A repeated stage replaces its earlier record and those of all later stages. */
function withStage(
  stages: readonly StageState[],
  { data, at }: DurableEvent & { type: 'stage.finished' },
): StageState[] {
  const order = BootStage.options;
  const earlier = stages.filter(({ stage }) => order.indexOf(stage) < order.indexOf(data.stage));
  return [...earlier, { ...data, finishedAt: at }];
}
