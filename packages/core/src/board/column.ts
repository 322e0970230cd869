import type { BoardColumn, SessionSummary } from '@ship/protocol';

/** The board column of a session's card. */
export function columnOf({
  status,
  needsYou,
  pullRequest,
}: Pick<SessionSummary, 'status' | 'needsYou' | 'pullRequest'>): BoardColumn {
  if (status === 'closed') return 'done';
  if (needsYou !== null || status === 'failed') return 'needs-you';
  if (status !== 'idle') return 'working';
  // The session is idle: the pull request decides the column.
  if (pullRequest === null) return 'needs-you';
  return pullRequest.state === 'open' ? 'in-review' : 'done';
}
