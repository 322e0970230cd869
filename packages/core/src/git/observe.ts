import type { SessionState } from '@ship/protocol';
import { openTurn } from '../session/state.ts';

const MINUTE_MS = 60_000;
const WATCHED_EVERY_MS = MINUTE_MS;
const UNWATCHED_EVERY_MS = 10 * MINUTE_MS;
const LONGEST_MS = 6 * 60 * MINUTE_MS;
/** The interval grows with the idle time: pull requests of idle sessions change rarely. */
const IDLE_TIME_DIVISOR = 20;

interface ObservationFacts {
  hasViewers: boolean;
  /** When the forge was last polled. */
  lastObservedAt: number;
  /** A turn or one of Ship's own changes at the forge is running: a poll would only see Ship's own work. */
  isTurnDriven: boolean;
}

/**
 * When to poll the forge for changes by others; undefined when none are expected. A webhook reports them sooner; polling is for
 * servers that webhooks cannot reach, and for lost deliveries.
 */
export function nextObservation(
  { git, activity, lastActiveAt }: SessionState,
  { hasViewers, lastObservedAt, isTurnDriven }: ObservationFacts,
): number | undefined {
  if (git.pullRequest?.state !== 'open' || openTurn(activity) !== undefined || isTurnDriven)
    return undefined;
  const since = Math.max(lastObservedAt, lastActiveAt);
  if (hasViewers) return since + WATCHED_EVERY_MS;
  const everyMs = Math.max(UNWATCHED_EVERY_MS, (since - lastActiveAt) / IDLE_TIME_DIVISOR);
  return since + Math.round(Math.min(LONGEST_MS, everyMs));
}
