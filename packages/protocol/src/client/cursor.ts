import type { DurableEnvelope } from '../events/envelope.ts';

export interface Taken {
  /** The next events in order, without known ones. */
  fresh: DurableEnvelope[];
  /** Events are missing before the rest. */
  hasGap: boolean;
}

/** The events that follow `seq` without a gap: networks may repeat or lose events, but a log has no gaps. */
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
