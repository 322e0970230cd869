import * as z from 'zod';
import { DurableEnvelope, LiveEvent } from './events/envelope.ts';
import { ShipError } from './error-schema.ts';
import { SessionId } from './ids.ts';

/**
 * The session socket. The server first sends `hello`. The client requests past events page by page with `replay`, so that a log
 * of any length never has to fit into a buffer; with `after` in the URL it gets the first page without a request. From the
 * newest page on, the server pushes new events as they happen, batched as another `page`.
 */
export const ServerMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocolVersion: z.int().min(1),
    sessionId: SessionId,
    newestSeq: z.int().nonnegative(),
  }),
  /** `upTo` is the last seq of this page; the log has more when it is below `newestSeq`. */
  z.object({
    type: z.literal('page'),
    events: z.array(DurableEnvelope),
    upTo: z.int().nonnegative(),
    newestSeq: z.int().nonnegative(),
  }),
  z.object({ type: z.literal('live'), events: z.array(LiveEvent) }),
  z.object({ type: z.literal('presence'), watchers: z.array(z.string()) }),
  z.object({ type: z.literal('error'), error: ShipError }),
]);
export type ServerMessage = z.infer<typeof ServerMessage>;

export const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('replay'), after: z.int().nonnegative() }),
]);
export type ClientMessage = z.infer<typeof ClientMessage>;

/** Answered by the platform (WebSocket auto-response) without waking the session's Durable Object. */
export const PING = 'ping';
export const PONG = 'pong';
export const PING_INTERVAL_MS = 30_000;

/** Close codes; the name tells the client what to do. */
export const CLOSE_CODES = {
  'bad-message': 4400,
  'sign-in': 4401,
  'session-gone': 4404,
  'upgrade-client': 4426,
  'slow-down': 4429,
} as const;
export type CloseReason = keyof typeof CLOSE_CODES;
