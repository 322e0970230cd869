import * as z from 'zod';
import { ShipError } from './error-schema.ts';

/**
 * The terminal socket, `GET /api/sessions/:sessionId/terminals/:name`. A terminal is found again by its name: the shell
 * goes on while nobody looks. Output is binary; everything else is one of these messages as JSON text.
 */
export const TerminalName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be small letters, digits and dashes, 32 at most');
export type TerminalName = z.infer<typeof TerminalName>;

const MAX_SIDE = 1_000;
const size = { cols: z.int().min(2).max(MAX_SIDE), rows: z.int().min(1).max(MAX_SIDE) };
const side = z.coerce.number().pipe(z.int().min(1).max(MAX_SIDE));

export const TerminalQuery = z.strictObject({
  cols: side.default(80),
  rows: side.default(24),
  /** `no`: what a person paused stays so. For a client that comes back by itself. */
  wake: z.enum(['yes', 'no']).default('yes'),
});
export type TerminalQuery = z.infer<typeof TerminalQuery>;

/** So much may be under way to a viewer. Above it the shell waits; without this a stalled page grows without end. */
export const TERMINAL_WINDOW_BYTES = 256 * 1024;
/** How often a viewer says what it has drawn. */
export const TERMINAL_ACK_BYTES = 32 * 1024;
/** Of one message; a long paste is sent in several. */
export const MAX_INPUT_CHARACTERS = 16_384;
/** What is shown again to somebody who comes back. */
export const TERMINAL_TAIL_BYTES = 256 * 1024;
export const MAX_TERMINALS = 16;

export const TerminalServerMessage = z.discriminatedUnion('type', [
  /** `hasTail`: what was there before follows as `replay`. */
  z.object({ type: z.literal('ready'), isNew: z.boolean(), hasTail: z.boolean() }),
  /** The next so many bytes are the past: what they ask of the terminal must not be answered again. */
  z.object({ type: z.literal('replay'), bytes: z.int().nonnegative() }),
  z.object({ type: z.literal('exit'), exitCode: z.int() }),
  z.object({ type: z.literal('error'), error: ShipError }),
]);
export type TerminalServerMessage = z.infer<typeof TerminalServerMessage>;

export const TerminalClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input'), data: z.string().max(MAX_INPUT_CHARACTERS) }),
  z.object({ type: z.literal('resize'), ...size }),
  /** So many more bytes were drawn. */
  z.object({ type: z.literal('ack'), bytes: z.int().positive() }),
]);
export type TerminalClientMessage = z.infer<typeof TerminalClientMessage>;

/** Close codes of this socket: after `ended` and `refused` it makes no sense to come back by oneself. */
export const TERMINAL_CLOSE_CODES = {
  ended: 4200,
  'bad-message': 4400,
  'sign-in': 4401,
  refused: 4409,
  'too-slow': 4429,
  lost: 4503,
} as const;
export type TerminalCloseReason = keyof typeof TERMINAL_CLOSE_CODES;

/** `GET /api/sessions/:sessionId/terminals`: those whose shell runs. */
export const TerminalList = z.object({ terminals: z.array(z.object({ name: TerminalName })) });
export type TerminalList = z.infer<typeof TerminalList>;
