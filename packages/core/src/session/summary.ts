import type { NeedsYou, SessionState, SessionStatus, SessionSummary } from '@ship/protocol';
import { hasWork } from './plan.ts';

const MAX_DETAIL = 500;

/** What lists and the board show of a session. */
export function summarize(state: SessionState, updatedAt: number): SessionSummary {
  const { sessionId, title, repository, base, branch, model, createdAt, source } = state;
  return {
    sessionId,
    title,
    repository,
    base,
    branch,
    status: statusOf(state),
    statusDetail: detailOf(state),
    needsYou: needsYou(state),
    model,
    step: 0,
    maxSteps: 0,
    costUsd: 0,
    inputTokens: 0,
    outputTokens: 0,
    additions: 0,
    deletions: 0,
    pullRequest: null,
    timings: { firstTokenMs: null, pullRequestMs: null },
    createdAt,
    updatedAt,
    source,
  };
}

function statusOf(state: SessionState): SessionStatus {
  const { activity, sandbox } = state;
  if (activity.status !== 'idle') return activity.status;
  if (sandbox.status === 'failed') return 'failed';
  if (!hasWork(state)) return 'idle';
  return sandbox.status === 'running' ? 'queued' : 'starting';
}

function detailOf({ activity, sandbox }: SessionState): string | null {
  if (activity.status === 'failed' || activity.status === 'retrying')
    return activity.error.message.slice(0, MAX_DETAIL);
  if (sandbox.status === 'failed' || sandbox.status === 'retrying')
    return sandbox.error.message.slice(0, MAX_DETAIL);
  return sandbox.status === 'lost' ? sandbox.reason.slice(0, MAX_DETAIL) : null;
}

function needsYou({ activity, sandbox }: SessionState): NeedsYou | null {
  return activity.status === 'failed' || sandbox.status === 'failed' ? 'error' : null;
}
