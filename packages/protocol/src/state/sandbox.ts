import * as z from 'zod';
import { ShipError } from '../error-schema.ts';
import { SandboxId } from '../events/sandbox-events.ts';

const time = z.int().nonnegative();

/**
 * A session's sandbox as it was last *seen*, never as it was hoped for: each state is entered by an observation, so what
 * is shown to people was checked.
 */
export const SandboxState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  z.object({ status: z.literal('starting'), attempt: z.int().min(1), since: time }),
  z.object({
    status: z.literal('retrying'),
    attempt: z.int().min(1),
    error: ShipError,
    nextAttemptAt: time,
  }),
  z.object({ status: z.literal('running'), sandboxId: SandboxId, since: time }),
  /** Processes stopped in place: instant to resume, memory still held. */
  z.object({
    status: z.literal('frozen'),
    sandboxId: SandboxId,
    since: time,
    byPerson: z.boolean(),
  }),
  /** Processes ended, files kept: no memory held. */
  z.object({ status: z.literal('asleep'), sandboxId: SandboxId, since: time }),
  /** Gone without our doing; the work is in its checkpoint. */
  z.object({ status: z.literal('lost'), sandboxId: SandboxId, reason: z.string(), since: time }),
  /** Cannot be had without a person's help. */
  z.object({ status: z.literal('failed'), error: ShipError, since: time }),
]);
export type SandboxState = z.infer<typeof SandboxState>;
