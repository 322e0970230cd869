import type { SessionSummary } from '@ship/protocol';

/** Sessions that wait now and did not before. Nothing is an arrival on the first look. */
export function arrivals(
  before: ReadonlySet<string> | null,
  now: readonly SessionSummary[],
): readonly SessionSummary[] {
  return before === null ? [] : now.filter(({ sessionId }) => !before.has(sessionId));
}
