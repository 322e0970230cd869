import type {
  NeedsYou,
  PauseReason,
  SessionState,
  SessionStatus,
  SessionSummary,
} from '@ship/protocol';
import { hasWork } from './plan.ts';

const MAX_DETAIL = 500;

/** The summary of a session that lists and the board show. */
export function summarize(state: SessionState, updatedAt: number): SessionSummary {
  const { sessionId, title, repository, model, createdAt, source } = state;
  return {
    sessionId,
    title,
    repository,
    base: state.git.base ?? state.base,
    branch: state.git.branch ?? state.branch,
    status: statusOf(state),
    statusDetail: detailOf(state),
    needsYou: needsYou(state),
    model,
    ...progress(state),
    ...changes(state),
    pullRequest: pullRequestOf(state),
    confidence: state.verification.confidence?.score ?? null,
    timings: timings(state),
    createdAt,
    updatedAt,
    source,
  };
}

/** Fields that do not affect the summary, except whether the queue is empty. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  'seq',
  'lastActiveAt',
  'queue',
  'current',
  'unreached',
  'stages',
  'turnsFinished',
] satisfies (keyof SessionState)[]);

/**
 * Whether both states certainly have the same summary, without computing it: this runs for every event, and most events change
 * nothing that lists show. False for any change of a field that is not in the list above.
 */
export function hasSameSummary(before: SessionState, after: SessionState): boolean {
  if (before.queue.length > 0 !== after.queue.length > 0) return false;
  let key: keyof SessionState;
  for (key in after) if (before[key] !== after[key] && !NOT_SHOWN.has(key)) return false;
  return true;
}

function statusOf(state: SessionState): SessionStatus {
  const { activity, sandbox } = state;
  if (activity.status === 'paused' || isAsking(state)) return 'waiting';
  if (activity.status === 'held') return 'idle';
  if (activity.status !== 'idle') return activity.status;
  if (sandbox.status === 'failed') return 'failed';
  if (!hasWork(state)) return 'idle';
  return sandbox.status === 'running' ? 'queued' : 'starting';
}

function detailOf({ activity, sandbox }: SessionState): string | null {
  if (activity.status === 'failed' || activity.status === 'retrying')
    return activity.error.message.slice(0, MAX_DETAIL);
  if (activity.status === 'paused') return activity.pause.message.slice(0, MAX_DETAIL);
  if (activity.status === 'held')
    return `Stopped by ${activity.by}. Queued prompts wait.`.slice(0, MAX_DETAIL);
  if (sandbox.status === 'failed' || sandbox.status === 'retrying')
    return sandbox.error.message.slice(0, MAX_DETAIL);
  return sandbox.status === 'lost' ? sandbox.reason.slice(0, MAX_DETAIL) : null;
}

function needsYou({ activity, sandbox, agent }: SessionState): NeedsYou | null {
  if (activity.status === 'failed' || sandbox.status === 'failed') return 'error';
  if (activity.status === 'paused') return pauseMeans(activity.pause.reason);
  if (agent.questions.some(isOpen)) return 'question';
  if (agent.permissions.some(isOpen)) return 'permission';
  return agent.plan === null ? null : 'plan';
}

function pauseMeans(reason: PauseReason): NeedsYou {
  return reason === 'step-limit' || reason === 'budget' ? reason : 'stuck';
}

const isOpen = ({ answer }: { answer: unknown }): boolean => answer === null;

function isAsking({ agent }: SessionState): boolean {
  return agent.questions.some(isOpen) || agent.permissions.some(isOpen);
}

/** The cost is unknown (null) when the cost of one step is. */
function progress({ agent: { turn, usage } }: SessionState) {
  const { tokens } = usage;
  return {
    step: turn?.step ?? 0,
    maxSteps: turn?.maxSteps ?? 0,
    costUsd: usage.unpricedSteps > 0 ? null : usage.costUsd,
    inputTokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
    outputTokens: tokens.output + tokens.reasoning,
  };
}

function changes({ git: { commits } }: SessionState) {
  const sum = (key: 'additions' | 'deletions') =>
    commits.reduce((total, commit) => total + commit[key], 0);
  return { additions: sum('additions'), deletions: sum('deletions') };
}

function pullRequestOf({ git }: SessionState): SessionSummary['pullRequest'] {
  if (git.pullRequest === null) return null;
  const { number, url, state, draft } = git.pullRequest;
  return { number, url, state, draft };
}

function timings({ firsts, createdAt }: SessionState): SessionSummary['timings'] {
  const since = (at: number | null) => (at === null ? null : Math.max(0, at - createdAt));
  return { firstTokenMs: since(firsts.tokenAt), pullRequestMs: since(firsts.pullRequestAt) };
}
