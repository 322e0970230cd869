import * as z from 'zod';
import { EnvironmentPlan, InstallStep } from '../http/environment.ts';

/**
 * Why a repository was set up in full although the result of an earlier time was kept: `lost`, the sandbox service no
 * longer has it; `stale`, what it depends on (its script, a lock file) has changed since.
 */
export const SetupMiss = z.enum(['lost', 'stale']);
export type SetupMiss = z.infer<typeof SetupMiss>;

export const SETUP_EVENTS = {
  /**
   * The sandbox began with the result of an earlier setup: `savedMs` is how long that took, `layer` the name of what is
   * kept, `baseSha` the commit that it was made from. Older logs do not say the last two.
   */
  'setup.reused': {
    version: 1,
    data: z.object({
      madeAt: z.number().nonnegative(),
      savedMs: z.number().nonnegative(),
      layer: z.string().max(200).optional(),
      baseSha: z.string().max(64).optional(),
    }),
  },
  'setup.missed': { version: 1, data: z.object({ reason: SetupMiss }) },
  /** How this sandbox is prepared and tested, and which tools it lacks: recorded before the agent starts. */
  'environment.planned': { version: 1, data: EnvironmentPlan },
  /** `partId` names the live output of the step. */
  'install.started': {
    version: 1,
    data: InstallStep.extend({
      partId: z.string().min(1).max(200),
      step: z.int().min(1),
      of: z.int().min(1),
    }),
  },
  'install.finished': {
    version: 1,
    data: InstallStep.extend({
      partId: z.string().min(1).max(200),
      step: z.int().min(1),
      of: z.int().min(1),
      durationMs: z.number().nonnegative(),
      /** Null when it was cut off. */
      exitCode: z.int().nullable(),
      /** Why it failed; null when it did not. */
      reason: z.string().max(500).nullable(),
      /** Where all of its output is. */
      link: z.string().max(2000).nullable(),
    }),
  },
} as const;
