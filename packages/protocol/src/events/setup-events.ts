import * as z from 'zod';
import { EnvironmentPlan, InstallStep } from '../http/environment.ts';

/**
 * Why the full setup ran although the result of an earlier one was kept. `lost`: the sandbox service no longer has it. `stale`:
 * its inputs (its script, a lock file) have changed.
 */
export const SetupMiss = z.enum(['lost', 'stale']);
export type SetupMiss = z.infer<typeof SetupMiss>;

export const SETUP_EVENTS = {
  /**
   * The sandbox started with the result of an earlier setup: `savedMs` is that setup's duration, `layer` the name of the kept
   * setup, `baseSha` the commit that it was created from. Older logs lack the last two.
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
  /** The plan for setup and tests of this sandbox, with missing tools; recorded before the agent starts. */
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
      /** Null when the command was killed. */
      exitCode: z.int().nullable(),
      /** Why it failed; null when it succeeded. */
      reason: z.string().max(500).nullable(),
      /** Link to its whole output. */
      link: z.string().max(2000).nullable(),
    }),
  },
} as const;
