import type { LiveEvent } from '@ship/protocol';
import type { StoredEvent } from './event-log.ts';

/** Per part, as much as a page shows; people watch the end. */
const KEPT_CHARS = 60_000;
/** A limit that is never reached in practice; a tool beyond it appears when it finishes. */
const MAX_PARTS = 32;

/**
 * The text streamed so far: a client that connects mid-stream would otherwise see nothing until the next delta, and then half a
 * sentence. Lives in memory only and may be lost: the finished part is in the log.
 */
export class StreamBuffer {
  readonly #parts = new Map<string, LiveEvent['data']>();

  add(events: readonly LiveEvent[]): void {
    for (const { data } of events) {
      const before = this.#parts.get(data.partId);
      if (before === undefined && this.#parts.size >= MAX_PARTS) continue;
      const text = (before?.delta ?? '') + data.delta;
      // Not on every delta: slicing copies the text.
      const delta = text.length > 2 * KEPT_CHARS ? text.slice(-KEPT_CHARS) : text;
      this.#parts.set(data.partId, { ...data, delta });
    }
  }

  /** Drops finished parts, which are in the log, and all parts of a turn that ended or is retried. */
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
