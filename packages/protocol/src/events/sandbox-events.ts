import * as z from 'zod';
import { ShipError } from '../error-schema.ts';

/** Chosen by the sandbox service; safe in host names. */
export const SandboxId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/, 'must be a sandbox id');

/** The stages from no sandbox to a listening agent, as people see them. */
export const BootStage = z.enum(['sandbox', 'clone', 'setup', 'agent']);
export type BootStage = z.infer<typeof BootStage>;

/** Why Ship destroyed a sandbox. */
export const EndReason = z.enum(['idle', 'closed', 'replaced', 'asked']);

export const SANDBOX_EVENTS = {
  /** Stored before the service is called: after a crash Ship knows that a sandbox may exist. */
  'sandbox.requested': { version: 1, data: z.object({ attempt: z.int().min(1) }) },
  'sandbox.ready': { version: 1, data: z.object({ sandboxId: SandboxId }) },
  'sandbox.failed': {
    version: 1,
    data: z.object({ error: ShipError, nextAttemptAt: z.int().nullable() }),
  },
  'sandbox.frozen': {
    version: 1,
    /** A sandbox that a person paused stays paused while people only watch. */
    data: z.object({ sandboxId: SandboxId, byPerson: z.boolean().default(false) }),
  },
  'sandbox.asleep': { version: 1, data: z.object({ sandboxId: SandboxId }) },
  'sandbox.resumed': {
    version: 1,
    data: z.object({ sandboxId: SandboxId, processes: z.enum(['kept', 'lost']) }),
  },
  'sandbox.lost': {
    version: 1,
    data: z.object({ sandboxId: SandboxId, reason: z.string().max(1000) }),
  },
  'sandbox.destroyed': { version: 1, data: z.object({ sandboxId: SandboxId, reason: EndReason }) },
  /** The session was closed during a start, and the service has no sandbox of it left. */
  'sandbox.abandoned': { version: 1, data: z.object({}) },
  /** Ship found an extra sandbox of the session (from an interrupted create that was retried) and destroyed it. */
  'sandbox.stray-ended': { version: 1, data: z.object({ sandboxId: SandboxId }) },
  'stage.finished': {
    version: 1,
    data: z.object({
      stage: BootStage,
      durationMs: z.number().nonnegative(),
      error: ShipError.nullable(),
    }),
  },
} as const;
