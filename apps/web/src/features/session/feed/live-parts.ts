import type { LiveEvent } from '@ship/protocol';

export interface LivePart {
  readonly partId: string;
  readonly turnId: string;
  readonly field: LiveEvent['data']['field'];
  readonly text: string;
}

/** Keep only the tail: a build may print megabytes. */
const maxChars = 60_000;

/** Streaming parts by id. Deltas may be lost: the finished part follows as a durable event. */
export type LiveParts = ReadonlyMap<string, LivePart>;

export function addDeltas(parts: LiveParts, events: readonly LiveEvent[]): LiveParts {
  if (events.length === 0) return parts;
  const next = new Map(parts);
  for (const { data } of events) {
    const before = next.get(data.partId)?.text ?? '';
    const text = before + data.delta;
    next.set(data.partId, {
      partId: data.partId,
      turnId: data.turnId,
      field: data.field,
      text: text.length > maxChars ? text.slice(-maxChars) : text,
    });
  }
  return next;
}

/** Drops parts that are in the log, and all parts of a finished turn. */
export function dropFinished(parts: LiveParts, isFinished: (part: LivePart) => boolean): LiveParts {
  const kept = [...parts.values()].filter((part) => !isFinished(part));
  return kept.length === parts.size
    ? parts
    : new Map(kept.map((part) => [part.partId, part] as const));
}

/** Whether the same parts stream, regardless of their text. */
export const isSameParts = (before: LiveParts, after: LiveParts): boolean =>
  before.size === after.size && [...before.keys()].every((partId) => after.has(partId));
