import { knownEvent } from '@ship/protocol';
import type { DurableEnvelope, DurableEvent } from '@ship/protocol';

/** One entry of the timeline: an event, or several that tell one story (a tool's start and end). */
export interface Item {
  readonly key: string;
  readonly seq: number;
  /** Null for what happened between turns. */
  readonly turnId: string | null;
  /** In the order of the log; never empty. */
  readonly events: readonly [DurableEvent, ...DurableEvent[]];
  readonly weight: Weight;
}

/** `detail` hides when its turn is over; `always` stays; `answer` stays when it is the last of its turn. */
export type Weight = 'always' | 'detail' | 'answer';

interface Placement {
  /** Events with the same key share one place. */
  readonly key: string;
  readonly weight: Weight;
}

/** Undefined for what has no place in the timeline. */
export type Place = (event: DurableEvent) => Placement | undefined;

export const newest = (item: Item): DurableEvent => item.events.at(-1) ?? item.events[0];

/** The agent's own ids of its parts ascend. */
const ASCENDING = 'part:prt_';

/** Providers end a text only with its step: it is recorded after the tools that it announces, and belongs before them. */
function placeAmong(items: readonly Item[], { key, turnId }: Item): number {
  let place = items.length;
  if (!key.startsWith(ASCENDING)) return place;
  for (let before = items[place - 1]; before !== undefined; before = items[place - 1]) {
    const isLater = before.key.startsWith(ASCENDING) && before.key > key;
    if (!isLater || before.turnId !== turnId) break;
    place -= 1;
  }
  return place;
}

/** Folds the log into entries; each stands where its first event stood. */
export class ItemList {
  readonly #place: Place;
  readonly #index = new Map<string, number>();
  #items: Item[] = [];
  #turnId: string | null = null;
  #seq = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  get newestSeq(): number {
    return this.#seq;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Gives a new array only when something of it changed. */
  add(envelopes: readonly DurableEnvelope[]): void {
    let isCopied = false;
    const own = () => {
      if (!isCopied) this.#items = [...this.#items];
      isCopied = true;
      return this.#items;
    };
    for (const envelope of envelopes) {
      this.#seq = envelope.seq;
      const event = knownEvent(envelope);
      if (event === undefined) continue;
      if (event.type === 'turn.started') this.#turnId = event.data.turnId;
      const placed = this.#place(event);
      if (placed !== undefined) this.#put(own(), event, placed);
      if (event.type === 'turn.finished') this.#turnId = null;
    }
  }

  #put(items: Item[], event: DurableEvent, { key, weight }: Placement): void {
    const at = this.#index.get(key);
    const before = at === undefined ? undefined : items[at];
    if (at !== undefined && before !== undefined) {
      items[at] = { ...before, events: [...before.events, event], weight };
      return;
    }
    const item: Item = { key, seq: event.seq, turnId: this.#turnId, events: [event], weight };
    const place = placeAmong(items, item);
    items.splice(place, 0, item);
    for (let i = place; i < items.length; i += 1) this.#index.set(items[i]?.key ?? '', i);
  }
}
