import * as z from 'zod';
import { ShipError } from './error-schema.ts';

/** The limit that ended a turn. */
export const PauseReason = z.enum([
  'step-limit',
  'budget',
  'tool-failures',
  'loop',
  'operation-timeout',
  'turn-timeout',
  'no-progress',
  'provider-parked',
  'output-limit',
]);
export type PauseReason = z.infer<typeof PauseReason>;

/** A limit ended the turn at a clean point; a person decides how to continue. The work so far is kept. */
export const Paused = z.object({
  kind: z.literal('paused'),
  reason: PauseReason,
  message: z.string().max(1000),
  remedy: z.string().max(1000),
  /** When the turn can continue, if known. */
  notBefore: z.int().nullable(),
});
export type Paused = z.infer<typeof Paused>;

const completed = z.object({ kind: z.literal('completed') });
const stopped = z.object({ kind: z.literal('stopped'), by: z.string() });
const failed = z.object({ kind: z.literal('failed'), error: ShipError });

/** How a turn ended, in version 1 of `turn.finished`. */
export const TurnOutcomeV1 = z.discriminatedUnion('kind', [completed, stopped, failed]);

/** How a turn ended. A stopped or paused turn is not a failure: the work so far is kept. */
export const TurnOutcome = z.discriminatedUnion('kind', [completed, stopped, failed, Paused]);
export type TurnOutcome = z.infer<typeof TurnOutcome>;
