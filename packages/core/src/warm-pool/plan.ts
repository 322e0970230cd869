import type { DraftId, ModelRef, SessionId, Settings } from '@ship/protocol';

/**
 * A prewarmed sandbox whose agent already listens, for a session that does not exist yet. `claimed`: its session is being
 * created. `ending`: its sandbox must still be destroyed.
 */
export interface PooledSandbox {
  sessionId: SessionId;
  state: 'making' | 'ready' | 'claimed' | 'ending';
  /** When it entered this state. */
  since: number;
  /** Assigned to a person who types a draft, until the draft expires. */
  draft: { draftId: DraftId; expiresAt: number } | null;
  model: ModelRef;
  provider: Settings['sandboxProvider'];
}

export interface PoolTerms {
  size: number;
  /** The default model of new sessions; null when there is none, and so nothing to prewarm. */
  model: ModelRef | null;
  provider: Settings['sandboxProvider'];
  /** When a person last started a session or a draft. */
  lastDemandAt: number;
  /** No sandbox is created before this time. */
  quietUntil: number;
  /** An agent is working: starting another one would slow it down. */
  isBusy: boolean;
}

export interface PoolPlan {
  make: 0 | 1;
  end: SessionId[];
  /** Sandboxes of expired drafts, which become available to everyone again. */
  free: SessionId[];
  /** Claimed some time ago: the caller must check whether their sessions exist. */
  settle: SessionId[];
  nextAt: number | null;
}

const MINUTE_MS = 60_000;
/** The agent's capability lasts at least a day; this age leaves a session most of it. */
const MAX_AGE_MS = 6 * 60 * MINUTE_MS;
/** After so long without demand the pool is emptied, to free the memory. */
export const IDLE_MS = 60 * MINUTE_MS;
export const SETTLE_AFTER_MS = 2 * MINUTE_MS;
/** While an agent works, prewarming waits at most YIELD_MS and is planned again every LOOK_AGAIN_MS. */
export const YIELD_MS = 2 * MINUTE_MS;
export const LOOK_AGAIN_MS = 5_000;
export const MAX_DRAFTS = 3;
export const DRAFT_MS = 10 * MINUTE_MS;

/** Plans the steps of the pool, and when to plan again. One function decides both, so they cannot drift apart. */
export function planPool(
  places: readonly PooledSandbox[],
  terms: PoolTerms,
  nowMs: number,
): PoolPlan {
  const open = places.filter(({ state }) => state === 'making' || state === 'ready');
  const free = open.filter(({ draft }) => draft !== null && draft.expiresAt <= nowMs);
  const isStale = ({ model, provider, state, since }: PooledSandbox) =>
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
    // One at a time: two agents that start concurrently are both slow, and a person may be waiting for one of them.
    make: isQuiet || missing === 0 ? 0 : 1,
    end: ending.map(({ sessionId }) => sessionId),
    free: free.filter((place) => kept.includes(place)).map(({ sessionId }) => sessionId),
    settle: claimed
      .filter(({ since }) => since + SETTLE_AFTER_MS <= nowMs)
      .map(({ sessionId }) => sessionId),
    nextAt: later.length === 0 ? null : Math.min(...later),
  };
}

/** Prefers ready sandboxes. */
function rank({ state }: PooledSandbox): number {
  return state === 'ready' ? 0 : 1;
}
