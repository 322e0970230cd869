import type { LiveEvent } from '@ship/protocol';

export interface LivePart {
  readonly partId: string;
  readonly turnId: string;
  readonly field: LiveEvent['data']['field'];
  readonly text: string;
}

/** The tail is what people watch; a build's output of megabytes must not be kept whole. */
const keptChars = 60_000;

/** What streams right now, by part. It may be lost: the finished part follows as a durable event. */
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
      text: text.length > keptChars ? text.slice(-keptChars) : text,
    });
  }
  return next;
}

/** Finished parts are in the log; a turn that ended streams nothing any more. */
export function dropFinished(parts: LiveParts, isFinished: (part: LivePart) => boolean): LiveParts {
  const kept = [...parts.values()].filter((part) => !isFinished(part));
  return kept.length === parts.size
    ? parts
    : new Map(kept.map((part) => [part.partId, part] as const));
}

/** The same parts stream, whatever more of them. */
export const isSameParts = (before: LiveParts, after: LiveParts): boolean =>
  before.size === after.size && [...before.keys()].every((partId) => after.has(partId));
