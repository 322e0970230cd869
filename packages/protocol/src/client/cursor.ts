import type { DurableEnvelope } from '../events/envelope.ts';

export interface Taken {
  /** What comes next, in order, and nothing that was there already. */
  fresh: DurableEnvelope[];
  /** Something is missing before the rest. */
  hasGap: boolean;
}

/** What of these events follows `seq` without a hole. Networks repeat and servers restart; a log has no holes. */
export function takeNext(seq: number, events: readonly DurableEnvelope[]): Taken {
  const fresh: DurableEnvelope[] = [];
  let last = seq;
  for (const event of events) {
    if (event.seq <= last) continue;
    if (event.seq !== last + 1) return { fresh, hasGap: true };
    fresh.push(event);
    last = event.seq;
  }
  return { fresh, hasGap: false };
}
