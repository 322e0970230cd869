import type { SessionSummary } from '@ship/protocol';

/** Sessions that started to wait since the last look; none on the first look. */
export function arrivals(
  before: ReadonlySet<string> | null,
  now: readonly SessionSummary[],
): readonly SessionSummary[] {
  return before === null ? [] : now.filter(({ sessionId }) => !before.has(sessionId));
}
