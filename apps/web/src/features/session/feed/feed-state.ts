import { evolve } from '@ship/core';
import type {
  DurableEnvelope,
  LiveEvent,
  SessionState,
  SessionView,
  ShipError,
} from '@ship/protocol';
import { addDeltas, dropFinished } from './live-parts.ts';
import type { LiveParts } from './live-parts.ts';
import { append, createWindow, prepend, trim } from './window.ts';
import type { LogWindow } from './window.ts';

/** The page's copy of a session: its state, the newest window of its log, and streaming parts. */
export interface Feed extends LogWindow {
  readonly state: SessionState;
  readonly live: LiveParts;
  readonly watchers: readonly string[];
}

export const createFeed = (view: SessionView, tail: readonly DurableEnvelope[]): Feed => ({
  // The log may have grown between the two reads; the socket sends the rest.
  ...createWindow(tail.filter(({ seq }) => seq <= view.state.seq)),
  state: view.state,
  live: new Map(),
  watchers: [],
});

export const newestSeq = ({ state }: Feed): number => state.seq;
export const oldestSeq = ({ events, state }: Feed): number => events[0]?.seq ?? state.seq + 1;

interface Appended {
  readonly feed: Feed;
  /** Events before the given ones are missing: request those after `newestSeq`. */
  readonly hasGap: boolean;
}

/** Appends new events in order. Repeats change nothing; events behind a gap are not added. */
export function appendEvents(feed: Feed, given: readonly DurableEnvelope[]): Appended {
  let { state } = feed;
  const added: DurableEnvelope[] = [];
  for (const envelope of given) {
    if (envelope.seq <= state.seq) continue;
    if (envelope.seq > state.seq + 1) return { feed: withAdded(feed, state, added), hasGap: true };
    state = evolve(state, envelope) ?? state;
    added.push(envelope);
  }
  return { feed: withAdded(feed, state, added), hasGap: false };
}

function withAdded(feed: Feed, state: SessionState, added: readonly DurableEnvelope[]): Feed {
  if (added.length === 0) return feed;
  return { ...feed, ...append(feed, added), state, live: dropFinishedParts(feed.live, added) };
}

/** Drops events far above a reader at the end of the log. A reader who scrolled up keeps them, within limits. */
export function dropOldEvents(feed: Feed, isAtEnd: boolean): Feed {
  const window = trim(feed, isAtEnd);
  return window === feed ? feed : { ...feed, ...window };
}

function dropFinishedParts(live: LiveParts, added: readonly DurableEnvelope[]): LiveParts {
  if (live.size === 0) return live;
  const finished = new Set<string>();
  let isTurnOver = false;
  for (const { type, data } of added) {
    if (type === 'turn.finished' || type === 'turn.retry-scheduled') isTurnOver = true;
    if (type.endsWith('.finished') && isRecord(data) && typeof data['partId'] === 'string')
      finished.add(data['partId']);
  }
  return dropFinished(live, ({ partId }) => isTurnOver || finished.has(partId));
}

export function prependEvents(feed: Feed, older: readonly DurableEnvelope[]): Feed {
  const first = oldestSeq(feed);
  const added = older.filter(({ seq }) => seq < first);
  // A page that does not connect to the loaded events would leave a gap.
  if (added.length === 0 || added.at(-1)?.seq !== first - 1) return feed;
  return { ...feed, ...prepend(feed, added) };
}

export const addLive = (feed: Feed, events: readonly LiveEvent[]): Feed => ({
  ...feed,
  live: addDeltas(feed.live, events),
});

export type FeedPhase =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly feed: Feed }
  | { readonly kind: 'failed'; readonly error: Pick<ShipError, 'message' | 'remedy'> };

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
