import type { SessionState } from '@ship/protocol';
import { openTurn } from '../session/state.ts';

const MINUTE_MS = 60_000;
const WATCHED_EVERY_MS = MINUTE_MS;
const UNWATCHED_EVERY_MS = 10 * MINUTE_MS;
const LONGEST_MS = 6 * 60 * MINUTE_MS;
/** What nobody touched for long changes rarely: waiting grows with the time that has passed. */
const PATIENCE = 20;

interface Looks {
  hasViewers: boolean;
  /** When the forge was last asked. */
  lastObservedAt: number;
  /** A turn, or a change of ours at the forge, is under way: what is seen meanwhile is our own doing. */
  isTurnDriven: boolean;
}

/**
 * When to ask the forge what others did there; undefined when nothing is expected. A webhook says it sooner; this is for
 * where none can reach us, and for deliveries that got lost.
 */
export function nextObservation(
  { git, activity, lastActiveAt }: SessionState,
  { hasViewers, lastObservedAt, isTurnDriven }: Looks,
): number | undefined {
  if (git.pullRequest?.state !== 'open' || openTurn(activity) !== undefined || isTurnDriven)
    return undefined;
  const since = Math.max(lastObservedAt, lastActiveAt);
  if (hasViewers) return since + WATCHED_EVERY_MS;
  const everyMs = Math.max(UNWATCHED_EVERY_MS, (since - lastActiveAt) / PATIENCE);
  return since + Math.round(Math.min(LONGEST_MS, everyMs));
}
