import * as z from 'zod';
import { SessionId } from '../ids.ts';

export const SetupName = z
  .string()
  .regex(/^ship-setup-[0-9a-f]{32}$/, 'must be the name of a kept setup');
export type SetupName = z.infer<typeof SetupName>;

/** What a repository's setup made, kept by the sandbox service, and what went into it. */
export const KeptSetupView = z.object({
  /** A hash of all that went in. */
  name: z.string(),
  repository: z.string(),
  /** The branch that sessions ask for; empty for the repository's own. */
  base: z.string(),
  provider: z.enum(['local', 'e2b']),
  /** The commit that it was made from; empty in what an older Ship kept, which is not used any more. */
  baseSha: z.string(),
  command: z.string(),
  /** A hash of the command of the settings, and of the scripts, manifests and lock files of that commit. */
  key: z.string(),
  setupMs: z.number().nonnegative(),
  madeAt: z.number(),
  usedAt: z.number(),
  /** The session after which it was made. */
  sessionId: SessionId,
});
export type KeptSetupView = z.infer<typeof KeptSetupView>;

/** `GET /api/setups`: those that were used last come first. */
export const KeptSetupList = z.object({ setups: z.array(KeptSetupView) });
export type KeptSetupList = z.infer<typeof KeptSetupList>;
