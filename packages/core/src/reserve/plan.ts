import type { DraftId, ModelRef, SessionId, Settings } from '@ship/protocol';

/**
 * A place is a sandbox whose agent listens already, for a session that does not exist yet. `claimed`: its session is being
 * made. `ending`: its sandbox has still to go.
 */
export interface Place {
  sessionId: SessionId;
  state: 'making' | 'ready' | 'claimed' | 'ending';
  /** When it came into this state. */
  since: number;
  /** Somebody types; it is nobody else's until then. */
  draft: { draftId: DraftId; expiresAt: number } | null;
  model: ModelRef;
  provider: Settings['sandboxProvider'];
}

export interface ReserveTerms {
  size: number;
  /** What a session without a wish of its own gets; null when there is none, and so nothing to wait for. */
  model: ModelRef | null;
  provider: Settings['sandboxProvider'];
  /** When somebody last began a session or a draft. */
  lastDemandAt: number;
  /** Nothing is made before then. */
  quietUntil: number;
  /** An agent is at work somewhere: the start of another one would slow it down. */
  isBusy: boolean;
}

export interface ReservePlan {
  make: 0 | 1;
  end: SessionId[];
  /** Drafts of which nothing came: their places wait for anybody again. */
  free: SessionId[];
  /** Claimed long ago: whether their sessions exist has to be asked. */
  settle: SessionId[];
  nextAt: number | null;
}

const MINUTE_MS = 60_000;
/** The agent's capability lasts at least a day; this leaves a session most of it. */
const MAX_AGE_MS = 6 * 60 * MINUTE_MS;
/** Who has not begun anything for so long gets the memory back. */
export const IDLE_MS = 60 * MINUTE_MS;
export const SETTLE_AFTER_MS = 2 * MINUTE_MS;
/** While somebody's agent works, the next one waits so long at most, and is looked at so often. */
export const YIELD_MS = 2 * MINUTE_MS;
export const LOOK_AGAIN_MS = 5_000;
export const MAX_DRAFTS = 3;
export const DRAFT_MS = 10 * MINUTE_MS;

/** What to do with the places now, and when to look again. One function for both: they cannot drift apart. */
export function planReserve(
  places: readonly Place[],
  terms: ReserveTerms,
  nowMs: number,
): ReservePlan {
  const open = places.filter(({ state }) => state === 'making' || state === 'ready');
  const free = open.filter(({ draft }) => draft !== null && draft.expiresAt <= nowMs);
  const isStale = ({ model, provider, state, since }: Place) =>
    model !== terms.model ||
    provider !== terms.provider ||
    (state === 'ready' && since + MAX_AGE_MS <= nowMs);
  const spare = open
    .filter((place) => (place.draft === null || free.includes(place)) && !isStale(place))
    .toSorted((a, b) => rank(a) - rank(b) || a.since - b.since);
  const idleAt = terms.lastDemandAt + IDLE_MS;
  const wanted = terms.model === null || idleAt <= nowMs ? 0 : terms.size;
  const kept = spare.slice(0, wanted);
  const ending = places.filter(
    (place) =>
      place.state === 'ending' ||
      (open.includes(place) &&
        (place.draft === null || free.includes(place)) &&
        !kept.includes(place)),
  );
  const missing = wanted - kept.length;
  const yields = terms.isBusy && nowMs < terms.lastDemandAt + YIELD_MS;
  const isQuiet =
    yields || terms.quietUntil > nowMs || open.some(({ state }) => state === 'making');
  const claimed = places.filter(({ state }) => state === 'claimed');
  const later = [
    ...open.flatMap(({ draft }) => (draft === null ? [] : [draft.expiresAt])),
    ...claimed.map(({ since }) => since + SETTLE_AFTER_MS),
    ...kept.flatMap(({ since, state }) => (state === 'ready' ? [since + MAX_AGE_MS] : [])),
    ...(kept.length > 0 ? [idleAt] : []),
    ...(missing > 0 ? [terms.quietUntil] : []),
    ...(missing > 0 && yields ? [nowMs + LOOK_AGAIN_MS] : []),
  ].filter((at) => at > nowMs);
  return {
    // One after the other: two that start at once are both slow, and somebody may be waiting for one of them.
    make: isQuiet || missing === 0 ? 0 : 1,
    end: ending.map(({ sessionId }) => sessionId),
    free: free.filter((place) => kept.includes(place)).map(({ sessionId }) => sessionId),
    settle: claimed
      .filter(({ since }) => since + SETTLE_AFTER_MS <= nowMs)
      .map(({ sessionId }) => sessionId),
    nextAt: later.length === 0 ? null : Math.min(...later),
  };
}

/** What is ready is worth more than what will be. */
function rank({ state }: Place): number {
  return state === 'ready' ? 0 : 1;
}
