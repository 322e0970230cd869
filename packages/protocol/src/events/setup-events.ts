import * as z from 'zod';

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
} as const;
