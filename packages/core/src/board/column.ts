import type { BoardColumn, SessionSummary } from '@ship/protocol';

/** Where a session's card belongs, by what is true of the session. */
export function columnOf({
  status,
  needsYou,
  pullRequest,
}: Pick<SessionSummary, 'status' | 'needsYou' | 'pullRequest'>): BoardColumn {
  if (status === 'closed') return 'done';
  if (needsYou !== null || status === 'failed') return 'needs-you';
  if (status !== 'idle') return 'working';
  // Nothing will happen by itself any more: whoever is next decides the column.
  if (pullRequest === null) return 'needs-you';
  return pullRequest.state === 'open' ? 'in-review' : 'done';
}
