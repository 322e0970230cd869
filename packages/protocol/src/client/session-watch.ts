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
  /** The seq of the newest event that the caller has; 0 or absent: none. */
  after?: number;
  /** Durable events: each once, in order, without a gap, whatever the network does. */
  onEvents(events: DurableEnvelope[]): void;
  onLive?(events: LiveEvent[]): void;
  onPresence?(watchers: string[]): void;
  onStatus?(status: WatchStatus): void;
  /** The server's log is shorter than what we have: it was restored from a backup. Forget all and start at 0. */
  onReset?(): void;
  /** Null: server-sent events only. */
  openSocket?: OpenSocket | null;
  clock?: Clock;
  random?: () => number;
}

const BACKOFF: Backoff = { baseDelayMs: 500, maxDelayMs: 30_000 };
const SLOW_DOWN_MS = 10_000;
/** A link that lasted this long was good: its end is a new story. */
const STABLE_AFTER_MS = 10_000;
const BEAT_MS = 5_000;
const HELLO_TIMEOUT_MS = 15_000;
const PAGE_TIMEOUT_MS = 15_000;
/** On a stream, when to see whether a socket can be had by now. */
const TRY_BETTER_AFTER_MS = 300_000;
const ABNORMAL = 1006;

/** Follows one session: from the event after `after`, page by page, then live, over any number of broken connections. */
export class SessionWatch {
  readonly #options: SessionWatchOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #chooser: LinkChooser;
  #seq: number;
  #link: Link | undefined;
  #failures = 0;
  #openedAt = 0;
  #heardAt = 0;
  #pingedAt = 0;
  /** When the page that was asked for must be here; undefined when none is expected. */
  #pageDueAt: number | undefined;
  #saidHello = false;
  #isLive = false;
  #hasAsked = false;
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

  /** Of the newest event that was handed out. */
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

  /** Does not wait any longer: for when a network came back or a page is looked at again. */
  retryNow(): void {
    if (this.#status?.status !== 'waiting') return;
    this.#cancelTimer?.();
    this.#open();
  }

  #open(): void {
    this.#tell({ status: 'connecting', attempt: this.#failures + 1 });
    const now = this.#clock.now();
    this.#openedAt = now;
    this.#heardAt = now;
    this.#pingedAt = now;
    this.#pageDueAt = undefined;
    this.#saidHello = false;
    this.#isLive = false;
    this.#hasAsked = false;
    // A link that was given up may still speak: only the current one is listened to.
    const isCurrent = () => this.#link === link;
    const link: Link = this.#chooser.next()(this.#seq, {
      onMessage: (text) => (isCurrent() ? this.#receive(text) : undefined),
      onHeard: () => (isCurrent() ? this.#heard() : undefined),
      onEnd: (code) => (isCurrent() ? this.#lost(code) : undefined),
    });
    this.#link = link;
    this.#beatLater();
  }

  #receive(text: string): void {
    this.#heard();
    const message = parse(text);
    // A damaged message may have been one that counts; one of a type that is not known here does not.
    if (message === 'damaged') return this.#lost(ABNORMAL);
    if (message === 'unknown') return;
    switch (message.type) {
      case 'hello':
        return this.#greeted(message);
      case 'page':
        return this.#turnPage(message);
      case 'live':
        return this.#options.onLive?.(message.events);
      case 'presence':
        return this.#options.onPresence?.(message.watchers);
      case 'error':
    }
  }

  #greeted({ protocolVersion, newestSeq }: ServerMessage & { type: 'hello' }): void {
    if (protocolVersion > PROTOCOL_VERSION) return this.#end('upgrade-client');
    this.#saidHello = true;
    if (newestSeq < this.#seq) {
      this.#seq = 0;
      this.#options.onReset?.();
      if (newestSeq > 0) return this.#ask();
    }
    if (newestSeq === this.#seq) return this.#live();
    // The first page comes unasked, because the address says where we are.
    this.#expectPage();
    this.#tell({ status: 'catching-up', seq: this.#seq, newestSeq });
  }

  #turnPage({ events, newestSeq }: ServerMessage & { type: 'page' }): void {
    const { fresh, hasGap } = takeNext(this.#seq, events);
    this.#seq += fresh.length;
    if (fresh.length > 0) {
      // A link that brings us on is worth coming back to soon, however short it lasts.
      this.#failures = 0;
      this.#options.onEvents(fresh);
    }
    // Closed from within the callback.
    if (this.#link === undefined) return;
    if (hasGap) {
      // What is pushed before the answer comes has the same gap.
      if (!this.#hasAsked) this.#ask();
      return;
    }
    this.#hasAsked = false;
    if (this.#seq >= newestSeq) return this.#live();
    this.#tell({ status: 'catching-up', seq: this.#seq, newestSeq });
    this.#expectPage();
    this.#link.replay(this.#seq);
  }

  /** Something is missing. A stream cannot be asked; a new one starts where we are. */
  #ask(): void {
    this.#hasAsked = true;
    this.#isLive = false;
    this.#expectPage();
    if (this.#link?.replay(this.#seq) === false) this.#lost(ABNORMAL);
  }

  #expectPage(): void {
    this.#pageDueAt = this.#clock.now() + PAGE_TIMEOUT_MS;
  }

  #live(): void {
    this.#pageDueAt = undefined;
    if (this.#isLive) return;
    this.#isLive = true;
    this.#tell({ status: 'live' });
  }

  #heard(): void {
    this.#heardAt = this.#clock.now();
  }

  #beatLater(): void {
    this.#cancelTimer = this.#clock.after(BEAT_MS, () => this.#beat());
  }

  /** Sees whether the link is dead: a cable that was pulled tells nobody. */
  #beat(): void {
    const link = this.#link;
    if (link === undefined) return;
    const now = this.#clock.now();
    const isMute = now - this.#heardAt >= link.maxSilenceMs;
    const hasNoHello = !this.#saidHello && now - this.#openedAt >= HELLO_TIMEOUT_MS;
    const isPageLate = this.#pageDueAt !== undefined && now >= this.#pageDueAt;
    if (isMute || hasNoHello || isPageLate) return this.#lost(ABNORMAL);
    if (this.#chooser.isSecondBest() && now - this.#openedAt >= TRY_BETTER_AFTER_MS) {
      this.#drop();
      return this.#open();
    }
    if (now - this.#pingedAt >= PING_INTERVAL_MS) {
      this.#pingedAt = now;
      link.ping();
    }
    this.#beatLater();
  }

  #lost(code: number): void {
    this.#drop();
    const reason = finalReason(code);
    if (reason !== undefined) return this.#end(reason);
    const now = this.#clock.now();
    const wasStable = this.#saidHello && now - this.#openedAt >= STABLE_AFTER_MS;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    const delayMs = Math.max(
      backoffDelayMs(this.#failures, this.#random(), BACKOFF),
      code === CLOSE_CODES['slow-down'] ? SLOW_DOWN_MS : 0,
    );
    this.#tell({ status: 'waiting', attempt: this.#failures, retryAt: now + delayMs });
    if (this.#status?.status !== 'waiting') return;
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#open());
  }

  #drop(): void {
    const link = this.#link;
    this.#link = undefined;
    this.#cancelTimer?.();
    if (link === undefined) return;
    this.#chooser.ended(this.#saidHello);
    link.close();
  }

  #end(reason: EndReason): void {
    this.#drop();
    if (this.#status?.status !== 'ended') this.#tell({ status: 'ended', reason });
  }

  #tell(status: WatchStatus): void {
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
