import type { LiveEvent } from '@ship/protocol';
import type { StoredEvent } from './event-log.ts';

/** Nobody sees the difference; at hundreds of watchers it is most of the processor's work. */
const GATHER_MS = 10;

export interface Readers {
  stored: (events: readonly StoredEvent[]) => void;
  live: (events: LiveEvent[]) => void;
}

/**
 * Gathers what watchers are told: the first word after a silence leaves at once, what follows in the same moment leaves
 * together. A message to each of hundreds is what costs, not the events in it. Nothing is lost with it: what it holds
 * back is in the log already, or is only for those who watch at the moment.
 */
export class Bulletin {
  readonly #readers: Readers;
  #stored: StoredEvent[] = [];
  #live: LiveEvent[] = [];
  #toldAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  add(events: readonly StoredEvent[]): void {
    // In the order in which it happened: a piece of a text never comes after the whole.
    if (this.#live.length > 0) this.tell();
    this.#stored.push(...events);
    this.#tellSoon();
  }

  addLive(events: readonly LiveEvent[]): void {
    this.#live.push(...events);
    this.#tellSoon();
  }

  /** Before somebody new reads the log: what is held back here would come to him a second time. */
  tell(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#toldAt = Date.now();
    const [stored, live] = [this.#stored, this.#live];
    this.#stored = [];
    this.#live = [];
    if (stored.length > 0) this.#readers.stored(stored);
    if (live.length > 0) this.#readers.live(live);
  }

  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const waitMs = this.#toldAt + GATHER_MS - Date.now();
    if (waitMs <= 0) this.tell();
    else this.#timer = setTimeout(() => this.tell(), waitMs);
  }
}
