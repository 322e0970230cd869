import type { DurableEnvelope, LiveEvent } from '../events/envelope.ts';
import type { SessionId } from '../ids.ts';
import { CLOSE_CODES, PING_INTERVAL_MS, ServerMessage } from '../socket.ts';
import { PROTOCOL_VERSION } from '../version.ts';
import { type Backoff, backoffDelayMs } from './backoff.ts';
import { type Clock, systemClock } from './clock.ts';
import { takeNext } from './cursor.ts';
import type { HttpClient } from './http.ts';
import { LinkChooser } from './link-chooser.ts';
import type { Link } from './link.ts';
import { type OpenSocket, socketLink, systemSocket } from './socket-link.ts';
import { streamLink } from './stream-link.ts';
import { type EndReason, type WatchStatus, finalReason } from './watch-status.ts';

export interface SessionWatchOptions {
  http: HttpClient;
  sessionId: SessionId;
  /** The seq of the newest event that the caller has; 0 or absent without any. */
  after?: number;
  /** Durable events: each exactly once, in order, without a gap. */
  onEvents(events: DurableEnvelope[]): void;
  onLive?(events: LiveEvent[]): void;
  onPresence?(watchers: string[]): void;
  onStatus?(status: WatchStatus): void;
  /** The server's log is shorter than the caller's, because it was restored from a backup. Discard all events and start at 0. */
  onReset?(): void;
  /** Null uses server-sent events only. */
  openSocket?: OpenSocket | null;
  clock?: Clock;
  random?: () => number;
}

const BACKOFF: Backoff = { baseDelayMs: 500, maxDelayMs: 30_000 };
const SLOW_DOWN_MS = 10_000;
/** The backoff restarts after a link that lasted this long. */
const STABLE_AFTER_MS = 10_000;
const CHECK_INTERVAL_MS = 5_000;
const HELLO_TIMEOUT_MS = 15_000;
const PAGE_TIMEOUT_MS = 15_000;
/** How long a fallback stream is used before a socket is tried again. */
const RETRY_SOCKET_AFTER_MS = 300_000;
const ABNORMAL = 1006;

/** Subscribes to one session: first the events after `after` page by page, then live, and reconnects after every failure. */
export class SessionWatch {
  readonly #options: SessionWatchOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #chooser: LinkChooser;
  #seq: number;
  #link: Link | undefined;
  #failures = 0;
  #openedAt = 0;
  #lastActivityAt = 0;
  #pingedAt = 0;
  /** Deadline for the requested page; undefined when none is expected. */
  #pageDueAt: number | undefined;
  #hasHello = false;
  #isLive = false;
  #hasRequestedReplay = false;
  #cancelTimer: (() => void) | undefined;
  #status: WatchStatus | undefined;

  constructor(options: SessionWatchOptions) {
    const { http, sessionId, openSocket = systemSocket } = options;
    const path = `/sessions/${sessionId}`;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#seq = options.after ?? 0;
    const socket = openSocket ? socketLink(http, `${path}/socket`, openSocket) : undefined;
    this.#chooser = new LinkChooser(socket, streamLink(http, `${path}/events`));
  }

  /** The seq of the newest event that was delivered. */
  get seq(): number {
    return this.#seq;
  }

  start(): this {
    if (this.#status === undefined) this.#open();
    return this;
  }

  close(): void {
    this.#end('closed');
  }

  /** Ends the backoff, for example when the network returns or the page becomes visible. */
  retryNow(): void {
    if (this.#status?.status !== 'waiting') return;
    this.#cancelTimer?.();
    this.#open();
  }

  #open(): void {
    this.#setStatus({ status: 'connecting', attempt: this.#failures + 1 });
    const now = this.#clock.now();
    this.#openedAt = now;
    this.#lastActivityAt = now;
    this.#pingedAt = now;
    this.#pageDueAt = undefined;
    this.#hasHello = false;
    this.#isLive = false;
    this.#hasRequestedReplay = false;
    // A dropped link may still deliver messages: ignore all but the current one.
    const isCurrent = () => this.#link === link;
    const link: Link = this.#chooser.next()(this.#seq, {
      onMessage: (text) => (isCurrent() ? this.#receive(text) : undefined),
      onActivity: () => (isCurrent() ? this.#onActivity() : undefined),
      onEnd: (code) => (isCurrent() ? this.#onLinkEnd(code) : undefined),
    });
    this.#link = link;
    this.#scheduleCheck();
  }

  #receive(text: string): void {
    this.#onActivity();
    const message = parse(text);
    // A damaged message may have contained events, so reconnect; a message of an unknown type is safe to ignore.
    if (message === 'damaged') return this.#onLinkEnd(ABNORMAL);
    if (message === 'unknown') return;
    switch (message.type) {
      case 'hello':
        return this.#receiveHello(message);
      case 'page':
        return this.#receivePage(message);
      case 'live':
        return this.#options.onLive?.(message.events);
      case 'presence':
        return this.#options.onPresence?.(message.watchers);
      case 'error':
    }
  }

  #receiveHello({ protocolVersion, newestSeq }: ServerMessage & { type: 'hello' }): void {
    if (protocolVersion > PROTOCOL_VERSION) return this.#end('upgrade-client');
    this.#hasHello = true;
    if (newestSeq < this.#seq) {
      this.#seq = 0;
      this.#options.onReset?.();
      if (newestSeq > 0) return this.#requestReplay();
    }
    if (newestSeq === this.#seq) return this.#becomeLive();
    // The server sends the first page without a request, because the URL contains `after`.
    this.#expectPage();
    this.#setStatus({ status: 'catching-up', seq: this.#seq, newestSeq });
  }

  #receivePage({ events, newestSeq }: ServerMessage & { type: 'page' }): void {
    const { fresh, hasGap } = takeNext(this.#seq, events);
    this.#seq += fresh.length;
    if (fresh.length > 0) {
      // A link that delivers events resets the backoff, however short it lasts.
      this.#failures = 0;
      this.#options.onEvents(fresh);
    }
    // The callback may have closed the watch.
    if (this.#link === undefined) return;
    if (hasGap) {
      // Pages that are pushed before the reply have the same gap: request only once.
      if (!this.#hasRequestedReplay) this.#requestReplay();
      return;
    }
    this.#hasRequestedReplay = false;
    if (this.#seq >= newestSeq) return this.#becomeLive();
    this.#setStatus({ status: 'catching-up', seq: this.#seq, newestSeq });
    this.#expectPage();
    this.#link.replay(this.#seq);
  }

  /** Requests missing events. A stream cannot send requests; a new one starts at the right position. */
  #requestReplay(): void {
    this.#hasRequestedReplay = true;
    this.#isLive = false;
    this.#expectPage();
    if (this.#link?.replay(this.#seq) === false) this.#onLinkEnd(ABNORMAL);
  }

  #expectPage(): void {
    this.#pageDueAt = this.#clock.now() + PAGE_TIMEOUT_MS;
  }

  #becomeLive(): void {
    this.#pageDueAt = undefined;
    if (this.#isLive) return;
    this.#isLive = true;
    this.#setStatus({ status: 'live' });
  }

  #onActivity(): void {
    this.#lastActivityAt = this.#clock.now();
  }

  #scheduleCheck(): void {
    this.#cancelTimer = this.#clock.after(CHECK_INTERVAL_MS, () => this.#checkLink());
  }

  /** Detects a dead link: a lost network does not close the connection. */
  #checkLink(): void {
    const link = this.#link;
    if (link === undefined) return;
    const now = this.#clock.now();
    const isSilent = now - this.#lastActivityAt >= link.maxSilenceMs;
    const hasNoHello = !this.#hasHello && now - this.#openedAt >= HELLO_TIMEOUT_MS;
    const isPageLate = this.#pageDueAt !== undefined && now >= this.#pageDueAt;
    if (isSilent || hasNoHello || isPageLate) return this.#onLinkEnd(ABNORMAL);
    if (this.#chooser.isFallback() && now - this.#openedAt >= RETRY_SOCKET_AFTER_MS) {
      this.#drop();
      return this.#open();
    }
    if (now - this.#pingedAt >= PING_INTERVAL_MS) {
      this.#pingedAt = now;
      link.ping();
    }
    this.#scheduleCheck();
  }

  #onLinkEnd(code: number): void {
    this.#drop();
    const reason = finalReason(code);
    if (reason !== undefined) return this.#end(reason);
    const now = this.#clock.now();
    const wasStable = this.#hasHello && now - this.#openedAt >= STABLE_AFTER_MS;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    const delayMs = Math.max(
      backoffDelayMs(this.#failures, this.#random(), BACKOFF),
      code === CLOSE_CODES['slow-down'] ? SLOW_DOWN_MS : 0,
    );
    this.#setStatus({ status: 'waiting', attempt: this.#failures, retryAt: now + delayMs });
    if (this.#status?.status !== 'waiting') return;
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#open());
  }

  #drop(): void {
    const link = this.#link;
    this.#link = undefined;
    this.#cancelTimer?.();
    if (link === undefined) return;
    this.#chooser.ended(this.#hasHello);
    link.close();
  }

  #end(reason: EndReason): void {
    this.#drop();
    if (this.#status?.status !== 'ended') this.#setStatus({ status: 'ended', reason });
  }

  #setStatus(status: WatchStatus): void {
    this.#status = status;
    this.#options.onStatus?.(status);
  }
}

function parse(text: string): ServerMessage | 'damaged' | 'unknown' {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'damaged';
  }
  const parsed = ServerMessage.safeParse(json);
  if (parsed.success) return parsed.data;
  const known = ServerMessage.options.map(({ shape }) => shape.type.value as string);
  const { type } = (json ?? {}) as { type?: string };
  return known.includes(type ?? '') ? 'damaged' : 'unknown';
}
