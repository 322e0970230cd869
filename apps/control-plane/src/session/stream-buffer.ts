import type { LiveEvent } from '@ship/protocol';
import type { StoredEvent } from './event-log.ts';

/** Of one part; as much as a page shows. The end is what people watch. */
const KEPT_CHARS = 60_000;
/** More tools than this never run at the same time; what is not shown in the middle is shown at its end. */
const MAX_PARTS = 32;

/**
 * What streams right now, from its start: whoever opens the session in the middle of a sentence, or of a long command,
 * would otherwise see nothing of it until the next word, and then half a sentence. It lives in memory only, and may be
 * lost with it: the finished part is in the log.
 */
export class StreamBuffer {
  readonly #parts = new Map<string, LiveEvent['data']>();

  add(events: readonly LiveEvent[]): void {
    for (const { data } of events) {
      const before = this.#parts.get(data.partId);
      if (before === undefined && this.#parts.size >= MAX_PARTS) continue;
      const text = (before?.delta ?? '') + data.delta;
      // Not at every word: to cut is to copy.
      const delta = text.length > 2 * KEPT_CHARS ? text.slice(-KEPT_CHARS) : text;
      this.#parts.set(data.partId, { ...data, delta });
    }
  }

  /** Finished parts are in the log; a turn that ended, or begins again, streams nothing any more. */
  settle(stored: readonly StoredEvent[]): void {
    if (this.#parts.size === 0) return;
    for (const { event } of stored) {
      if (event.type === 'turn.finished' || event.type === 'turn.retry-scheduled')
        this.#parts.clear();
      else if (
        event.type === 'text.finished' ||
        event.type === 'tool.finished' ||
        event.type === 'install.finished'
      )
        this.#parts.delete(event.data.partId);
    }
  }

  snapshot(): LiveEvent[] {
    return [...this.#parts.values()].map((data) => ({
      type: 'part.delta',
      data: { ...data, delta: data.delta.slice(-KEPT_CHARS) },
    }));
  }
}
