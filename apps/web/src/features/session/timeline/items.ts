import { knownEvent } from '@ship/protocol';
import type { DurableEnvelope, DurableEvent } from '@ship/protocol';

/** One timeline entry: an event, or several that belong together (a tool's start and end). */
export interface Item {
  readonly key: string;
  readonly seq: number;
  /** Null for events between turns. */
  readonly turnId: string | null;
  /** In log order, never empty. */
  readonly events: readonly [DurableEvent, ...DurableEvent[]];
  readonly weight: Weight;
}

/** `detail` is hidden once its turn ends; `always` stays; `answer` stays if it is the last of its turn. */
export type Weight = 'always' | 'detail' | 'answer';

interface Placement {
  /** Events with the same key form one entry. */
  readonly key: string;
  readonly weight: Weight;
}

/** Undefined for events that the timeline does not show. */
export type PlacementOf = (event: DurableEvent) => Placement | undefined;

export const newest = (item: Item): DurableEvent => item.events.at(-1) ?? item.events[0];

/** Prefix of the agent's own part ids, which ascend. */
const ASCENDING = 'part:prt_';

/** Providers end a text only with its step, so it is logged after the tools that it announces. It belongs before them. */
function insertionIndex(items: readonly Item[], { key, turnId }: Item): number {
  let index = items.length;
  if (!key.startsWith(ASCENDING)) return index;
  for (let before = items[index - 1]; before !== undefined; before = items[index - 1]) {
    const isLater = before.key.startsWith(ASCENDING) && before.key > key;
    if (!isLater || before.turnId !== turnId) break;
    index -= 1;
  }
  return index;
}

/** Folds the log into entries; each keeps the position of its first event. */
export class ItemList {
  readonly #placementOf: PlacementOf;
  readonly #index = new Map<string, number>();
  #items: Item[] = [];
  #turnId: string | null = null;
  #seq = 0;

  constructor(placementOf: PlacementOf) {
    this.#placementOf = placementOf;
  }

  get newestSeq(): number {
    return this.#seq;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Replaces the array only if an entry changed. */
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
      const placed = this.#placementOf(event);
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
    const index = insertionIndex(items, item);
    items.splice(index, 0, item);
    for (let i = index; i < items.length; i += 1) this.#index.set(items[i]?.key ?? '', i);
  }
}
