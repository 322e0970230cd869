import * as z from 'zod';
import { ShipError } from '../error-schema.ts';
import { SandboxId } from '../events/sandbox-events.ts';

const time = z.int().nonnegative();

/**
 * The last *observed* state of a session's sandbox, never the desired one: only observations change the state, so people see
 * a checked state.
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
  /** Processes are stopped in place: resuming is instant, memory is still used. */
  z.object({
    status: z.literal('frozen'),
    sandboxId: SandboxId,
    since: time,
    byPerson: z.boolean(),
  }),
  /** Processes ended, files kept: no memory is used. */
  z.object({ status: z.literal('asleep'), sandboxId: SandboxId, since: time }),
  /** Disappeared without Ship's action; the work is in its checkpoint. */
  z.object({ status: z.literal('lost'), sandboxId: SandboxId, reason: z.string(), since: time }),
  /** Cannot start without a person's help. */
  z.object({ status: z.literal('failed'), error: ShipError, since: time }),
]);
export type SandboxState = z.infer<typeof SandboxState>;
