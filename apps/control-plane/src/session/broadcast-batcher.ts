import type { LiveEvent } from '@ship/protocol';
import type { StoredEvent } from './event-log.ts';

/** Nobody sees the difference; at hundreds of watchers it is most of the processor's work. */
const FLUSH_INTERVAL_MS = 10;

export interface BroadcastSinks {
  stored: (events: readonly StoredEvent[]) => void;
  live: (events: LiveEvent[]) => void;
}

/**
 * Gathers what watchers are told: the first word after a silence leaves at once, what follows in the same moment leaves
 * together. A message to each of hundreds is what costs, not the events in it. Nothing is lost with it: what it holds
 * back is in the log already, or is only for those who watch at the moment.
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
    // In the order in which it happened: a piece of a text never comes after the whole.
    if (this.#live.length > 0) this.flush();
    this.#stored.push(...events);
    this.#flushSoon();
  }

  addLive(events: readonly LiveEvent[]): void {
    this.#live.push(...events);
    this.#flushSoon();
  }

  /** Before somebody new reads the log: what is held back here would come to him a second time. */
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

  #flushSoon(): void {
    if (this.#timer !== undefined) return;
    const waitMs = this.#flushedAt + FLUSH_INTERVAL_MS - Date.now();
    if (waitMs <= 0) this.flush();
    else this.#timer = setTimeout(() => this.flush(), waitMs);
  }
}
