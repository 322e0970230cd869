import * as z from 'zod';
import { ShipError } from '../error-schema.ts';

/** Chosen by the sandbox service; safe in host names. */
export const SandboxId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/, 'is no sandbox id');

/** The steps from an empty machine to an agent that listens, as people watch them. */
export const BootStage = z.enum(['sandbox', 'clone', 'setup', 'agent']);
export type BootStage = z.infer<typeof BootStage>;

/** Why a sandbox was ended by us. */
export const EndReason = z.enum(['idle', 'closed', 'replaced', 'asked']);

export const SANDBOX_EVENTS = {
  /** Stored before the service is called: after a crash we know that there may be a sandbox to find. */
  'sandbox.requested': { version: 1, data: z.object({ attempt: z.int().min(1) }) },
  'sandbox.ready': { version: 1, data: z.object({ sandboxId: SandboxId }) },
  'sandbox.failed': {
    version: 1,
    data: z.object({ error: ShipError, nextAttemptAt: z.int().nullable() }),
  },
  'sandbox.frozen': {
    version: 1,
    /** One that a person paused stays so while people only look at it. */
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
  /** A start that was under way when the session was closed: looked for, and nothing is left. */
  'sandbox.abandoned': { version: 1, data: z.object({}) },
  /** One more than the session may have was found (an interrupted create that was repeated) and ended. */
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
