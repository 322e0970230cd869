import { CLOSE_CODES, PROTOCOL_VERSION, ServerMessage } from '@ship/protocol';
import type { LiveEvent, SessionId } from '@ship/protocol';
import { readHistory, readSession } from '../../../api/session.ts';
import { explain } from '../../../data/use-action.ts';
import { keepConnected } from '../../../live/reconnecting-socket.ts';
import type { LinkState } from '../../../live/reconnecting-socket.ts';
import {
  addLive,
  appendEvents,
  createFeed,
  dropOldEvents,
  newestSeq,
  oldestSeq,
  prependEvents,
} from './feed-state.ts';
import type { Feed, FeedPhase } from './feed-state.ts';
import { isSameParts } from './live-parts.ts';
import type { LivePart, LiveParts } from './live-parts.ts';
import { FrameScheduler } from './frame-scheduler.ts';

const pageSize = 200;

export interface FeedSnapshot {
  readonly phase: FeedPhase;
  readonly link: LinkState;
  readonly isLoadingOlder: boolean;
}

/**
 * Follows one session. It opens with the state and the newest page of the log, so that a log of any length opens at once; older
 * pages load on scroll. It notifies listeners at most once per frame, and listeners of streaming parts on their own schedule:
 * streamed words must not re-render the whole page.
 */
export class SessionFeed {
  readonly #sessionId: SessionId;
  readonly #listeners = new Set<() => void>();
  readonly #liveListeners = new Set<() => void>();
  readonly #scheduler = new FrameScheduler(() => this.#notifyLive());
  readonly #abort = new AbortController();
  #snapshot: FeedSnapshot = {
    phase: { kind: 'loading' },
    link: 'connecting',
    isLoadingOlder: false,
  };
  #pending: FeedSnapshot = this.#snapshot;
  #live: LiveParts = new Map();
  #isAtEnd = true;
  #frame: number | undefined;
  #connection: ReturnType<typeof keepConnected> | undefined;

  constructor(sessionId: SessionId) {
    this.#sessionId = sessionId;
  }

  readonly get = () => this.#snapshot;
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The streaming part as currently rendered. */
  readonly livePart = (partId: string): LivePart | undefined => this.#live.get(partId);
  readonly subscribeLive = (listener: () => void) => {
    this.#liveListeners.add(listener);
    return () => this.#liveListeners.delete(listener);
  };

  /** While the reader is scrolled up, loaded entries are kept. */
  readonly setIsAtEnd = (isAtEnd: boolean): void => {
    this.#isAtEnd = isAtEnd;
  };

  async open(): Promise<void> {
    const { signal } = this.#abort;
    const onKey = ({ target }: KeyboardEvent) => this.#scheduler.onKey(isInTerminal(target));
    addEventListener('keydown', onKey, { capture: true, signal });
    try {
      const view = await readSession(this.#sessionId, signal);
      const range = { before: view.state.seq + 1, limit: pageSize };
      const tail = await readHistory(this.#sessionId, range, signal);
      if (signal.aborted) return;
      this.#change({ phase: { kind: 'ready', feed: createFeed(view, tail.events) } });
      this.#connect();
    } catch (cause) {
      if (!signal.aborted) this.#change({ phase: { kind: 'failed', error: explain(cause) } });
    }
  }

  close(): void {
    this.#abort.abort();
    this.#connection?.close();
    this.#scheduler.stop();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }

  readonly reconnectNow = () => this.#connection?.reconnectNow();

  readonly loadOlder = (): void => void this.#loadOlder();

  async #loadOlder(): Promise<void> {
    const feed = this.#feed;
    if (feed === undefined || this.#pending.isLoadingOlder || oldestSeq(feed) <= 1) return;
    this.#change({ isLoadingOlder: true });
    try {
      const range = { before: oldestSeq(feed), limit: pageSize };
      const { events } = await readHistory(this.#sessionId, range, this.#abort.signal);
      this.#update((now) => prependEvents(now, events));
    } catch {
      // The next scroll to the top retries; the banner shows that the server is unreachable.
    } finally {
      this.#change({ isLoadingOlder: false });
    }
  }

  get #feed(): Feed | undefined {
    const { phase } = this.#pending;
    return phase.kind === 'ready' ? phase.feed : undefined;
  }

  #connect(): void {
    this.#connection = keepConnected({
      path: () =>
        `/api/sessions/${this.#sessionId}/socket?after=${this.#feed === undefined ? 0 : newestSeq(this.#feed)}&protocol=${PROTOCOL_VERSION}`,
      isFinal: (code) =>
        code === CLOSE_CODES['session-gone'] || code === CLOSE_CODES['upgrade-client'],
      onState: (link) => {
        this.#change({ link });
        // Drop partial streams on disconnect: the finished part will contain the full text.
        if (link === 'waiting') this.#update((feed) => ({ ...feed, live: new Map() }));
      },
      onMessage: (message) => this.#receive(message),
    });
  }

  #receive(given: unknown): boolean {
    const parsed = ServerMessage.safeParse(given);
    if (!parsed.success) return false;
    const message = parsed.data;
    if (message.type === 'live') this.#stream(message.events);
    if (message.type === 'presence')
      this.#update((feed) => ({ ...feed, watchers: message.watchers }));
    if (message.type === 'page') {
      let hasGap = false;
      this.#update((feed) => {
        const appended = appendEvents(feed, message.events);
        hasGap = appended.hasGap;
        return dropOldEvents(appended.feed, this.#isAtEnd);
      });
      const feed = this.#feed;
      if (feed !== undefined && (hasGap || message.upTo < message.newestSeq))
        this.#connection?.send({ type: 'replay', after: newestSeq(feed) });
    }
    return true;
  }

  #update(change: (feed: Feed) => Feed): void {
    const feed = this.#feed;
    if (feed !== undefined) this.#change({ phase: { kind: 'ready', feed: change(feed) } });
  }

  #stream(events: readonly LiveEvent[]): void {
    const feed = this.#feed;
    if (feed === undefined) return;
    this.#pending = { ...this.#pending, phase: { kind: 'ready', feed: addLive(feed, events) } };
    if (document.visibilityState === 'hidden') this.#notify();
    else this.#scheduler.request();
  }

  /** Turns 200 deltas a second into 20 renders of a single entry. */
  #notifyLive(): void {
    const live = this.#feed?.live ?? this.#live;
    if (!isSameParts(live, this.#live)) return this.#notify();
    this.#live = live;
    this.#liveListeners.forEach((listener) => listener());
  }

  /** Hidden pages get no animation frames: notify at once. */
  #change(part: Partial<FeedSnapshot>): void {
    this.#pending = { ...this.#pending, ...part };
    if (document.visibilityState === 'hidden') this.#notify();
    else this.#frame ??= requestAnimationFrame(() => this.#notify());
  }

  #notify(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#scheduler.onRendered();
    this.#snapshot = this.#pending;
    this.#live = this.#feed?.live ?? this.#live;
    this.#listeners.forEach((listener) => listener());
    this.#liveListeners.forEach((listener) => listener());
  }
}

const isInTerminal = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-terminal]') !== null;
