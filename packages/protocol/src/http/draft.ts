import * as z from 'zod';
import { DraftId } from '../ids.ts';

/** `POST /api/drafts`: a person started to type. The client chooses the id, which makes the request idempotent. */
export const DraftCreate = z.strictObject({ draftId: DraftId });
export type DraftCreate = z.infer<typeof DraftCreate>;

/**
 * `ready`: the draft's agent listens. `warming`: it is starting. `none`: there is no capacity, and a session with this draft
 * starts as one without.
 */
export const DraftView = z.object({
  draftId: DraftId,
  status: z.enum(['ready', 'warming', 'none']),
  /** When the agent returns to the pool if no session claims it. */
  expiresAt: z.int().nonnegative().nullable(),
});
export type DraftView = z.infer<typeof DraftView>;
