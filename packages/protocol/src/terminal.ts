import * as z from 'zod';
import { ShipError } from './error-schema.ts';

/**
 * The terminal socket, `GET /api/sessions/:sessionId/terminals/:name`. A client reattaches by name: the shell keeps running
 * without viewers. Output is binary; everything else is one of these messages as JSON text.
 */
export const TerminalName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be lowercase letters, digits and hyphens, 32 at most');
export type TerminalName = z.infer<typeof TerminalName>;

const MAX_SIDE = 1_000;
const size = { cols: z.int().min(2).max(MAX_SIDE), rows: z.int().min(1).max(MAX_SIDE) };
const side = z.coerce.number().pipe(z.int().min(1).max(MAX_SIDE));

export const TerminalQuery = z.strictObject({
  cols: side.default(80),
  rows: side.default(24),
  /** `no`: a sandbox that a person paused stays paused. For automatic reconnects. */
  wake: z.enum(['yes', 'no']).default('yes'),
});
export type TerminalQuery = z.infer<typeof TerminalQuery>;

/** Flow control: the shell pauses when so much is unacknowledged. Otherwise the buffer of a stalled viewer grows forever. */
export const TERMINAL_WINDOW_BYTES = 256 * 1024;
/** A viewer acknowledges after each such amount of drawn output. */
export const TERMINAL_ACK_BYTES = 32 * 1024;
/** Maximum input per message; a long paste is sent in several. */
export const MAX_INPUT_CHARACTERS = 16_384;
/** How much past output a reattaching client gets. */
export const TERMINAL_TAIL_BYTES = 256 * 1024;
export const MAX_TERMINALS = 16;

export const TerminalServerMessage = z.discriminatedUnion('type', [
  /** `hasTail`: past output follows as `replay`. */
  z.object({ type: z.literal('ready'), isNew: z.boolean(), hasTail: z.boolean() }),
  /** The next `bytes` bytes are past output: the client must not answer terminal queries in them again. */
  z.object({ type: z.literal('replay'), bytes: z.int().nonnegative() }),
  z.object({ type: z.literal('exit'), exitCode: z.int() }),
  z.object({ type: z.literal('error'), error: ShipError }),
]);
export type TerminalServerMessage = z.infer<typeof TerminalServerMessage>;

export const TerminalClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input'), data: z.string().max(MAX_INPUT_CHARACTERS) }),
  z.object({ type: z.literal('resize'), ...size }),
  /** The client has drawn `bytes` more bytes. */
  z.object({ type: z.literal('ack'), bytes: z.int().positive() }),
]);
export type TerminalClientMessage = z.infer<typeof TerminalClientMessage>;

/** Close codes of this socket: clients must not reconnect automatically after `ended` and `refused`. */
export const TERMINAL_CLOSE_CODES = {
  ended: 4200,
  'bad-message': 4400,
  'sign-in': 4401,
  refused: 4409,
  'too-slow': 4429,
  lost: 4503,
} as const;
export type TerminalCloseReason = keyof typeof TERMINAL_CLOSE_CODES;

/** `GET /api/sessions/:sessionId/terminals`: terminals with a running shell. */
export const TerminalList = z.object({ terminals: z.array(z.object({ name: TerminalName })) });
export type TerminalList = z.infer<typeof TerminalList>;
