import * as z from 'zod';
import { SessionId } from '../ids.ts';

export const SetupName = z
  .string()
  .regex(/^ship-setup-[0-9a-f]{32}$/, 'must be the name of a kept setup');
export type SetupName = z.infer<typeof SetupName>;

/** The result of a repository's setup that the sandbox service keeps, with its inputs. */
export const KeptSetupView = z.object({
  /** A hash of all inputs. */
  name: z.string(),
  repository: z.string(),
  /** The base branch that sessions name; empty for the repository's default branch. */
  base: z.string(),
  provider: z.enum(['local', 'e2b']),
  /** The commit that it was created from; empty for a setup of an older version, which is no longer used. */
  baseSha: z.string(),
  command: z.string(),
  /** A hash of the command of the settings, and of the scripts, manifests and lock files of that commit. */
  key: z.string(),
  setupMs: z.number().nonnegative(),
  madeAt: z.number(),
  usedAt: z.number(),
  /** The session after which it was created. */
  sessionId: SessionId,
});
export type KeptSetupView = z.infer<typeof KeptSetupView>;

/** `GET /api/setups`: most recently used first. */
export const KeptSetupList = z.object({ setups: z.array(KeptSetupView) });
export type KeptSetupList = z.infer<typeof KeptSetupList>;
