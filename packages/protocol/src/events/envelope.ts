import * as z from 'zod';
import { TurnId } from '../ids.ts';
import { SESSION_EVENTS, type SessionEvent, type SessionEventType } from './session-events.ts';

/**
 * A durable event has a sequence number, a time and a version, and is never lost once acknowledged.
 * The envelope is parsed separately from the data: a client that does not know a type keeps its position in the log and
 * continues, instead of failing on the first event of a newer server.
 */
export const DurableEnvelope = z.object({
  seq: z.int().min(1),
  /** Milliseconds since 1970. */
  at: z.int().nonnegative(),
  type: z.string().min(1).max(100),
  version: z.int().min(1),
  data: z.unknown(),
});
export type DurableEnvelope = z.infer<typeof DurableEnvelope>;

/** A durable event of a known type, with its sequence number and time. */
export type DurableEvent = SessionEvent & { seq: number; at: number };

/** The parsed event; undefined when its type or version is unknown or its data is invalid. */
export function knownEvent(envelope: DurableEnvelope): DurableEvent | undefined {
  if (!Object.hasOwn(SESSION_EVENTS, envelope.type)) return undefined;
  const definition = SESSION_EVENTS[envelope.type as SessionEventType];
  const parsed = shapeOf(definition, envelope.version)?.safeParse(envelope.data);
  if (parsed?.success !== true) return undefined;
  return { ...envelope, version: definition.version, data: parsed.data } as DurableEvent;
}

interface Definition {
  version: number;
  data: z.ZodType;
  earlier?: Readonly<Record<number, z.ZodType>>;
}

function shapeOf({ version, data, earlier }: Definition, wanted: number): z.ZodType | undefined {
  return wanted === version ? data : earlier?.[wanted];
}

/**
 * A live event has neither sequence number nor version and may be lost: the durable event of the finished part follows. Never
 * fold one into state that must survive a reload.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('part.delta'),
    data: z.object({
      turnId: TurnId,
      partId: z.string().min(1).max(200),
      field: z.enum(['text', 'reasoning', 'output']),
      delta: z.string(),
    }),
  }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;
