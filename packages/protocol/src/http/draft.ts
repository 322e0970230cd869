import * as z from 'zod';
import { DraftId } from '../ids.ts';

/** `POST /api/drafts`: somebody has begun to type. The client chooses the id, so that asking again asks for nothing new. */
export const DraftCreate = z.strictObject({ draftId: DraftId });
export type DraftCreate = z.infer<typeof DraftCreate>;

/**
 * `ready`: the agent of this draft listens. `warming`: it will, soon. `none`: there is no room for it, and a session that
 * names this draft starts as one without.
 */
export const DraftView = z.object({
  draftId: DraftId,
  status: z.enum(['ready', 'warming', 'none']),
  /** When it is given back if nothing comes of it. */
  expiresAt: z.int().nonnegative().nullable(),
});
export type DraftView = z.infer<typeof DraftView>;
