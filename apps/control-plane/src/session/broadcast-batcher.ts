import type { LiveEvent } from '@ship/protocol';
import type { StoredEvent } from './event-log.ts';

/** Short enough to go unnoticed; without it, hundreds of watchers take most of the processor's time. */
const FLUSH_INTERVAL_MS = 10;

export interface BroadcastSinks {
  stored: (events: readonly StoredEvent[]) => void;
  live: (events: LiveEvent[]) => void;
}

/**
 * Batches what watchers are sent: the first event after a silence goes out at once, the events that follow it closely go out
 * together. The number of messages to hundreds of watchers is what costs, not the number of events in them. Nothing can get
 * lost: held-back durable events are in the log, live events are only for those who watch now.
 */
export class BroadcastBatcher {
  readonly #sinks: BroadcastSinks;
  #stored: StoredEvent[] = [];
  #live: LiveEvent[] = [];
  #flushedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sinks: BroadcastSinks) {
    this.#sinks = sinks;
  }

  add(events: readonly StoredEvent[]): void {
    // Keeps the order: a delta of a text must not arrive after the finished text.
    if (this.#live.length > 0) this.flush();
    this.#stored.push(...events);
    this.#scheduleFlush();
  }

  addLive(events: readonly LiveEvent[]): void {
    this.#live.push(...events);
    this.#scheduleFlush();
  }

  /** Call before a new client reads the log: it would otherwise receive the held-back events twice. */
  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushedAt = Date.now();
    const [stored, live] = [this.#stored, this.#live];
    this.#stored = [];
    this.#live = [];
    if (stored.length > 0) this.#sinks.stored(stored);
    if (live.length > 0) this.#sinks.live(live);
  }

  #scheduleFlush(): void {
    if (this.#timer !== undefined) return;
    const waitMs = this.#flushedAt + FLUSH_INTERVAL_MS - Date.now();
    if (waitMs <= 0) this.flush();
    else this.#timer = setTimeout(() => this.flush(), waitMs);
  }
}
