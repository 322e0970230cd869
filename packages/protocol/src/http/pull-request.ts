import * as z from 'zod';
import { CommitSha, PullRequestState } from '../events/git-events.ts';
import { line } from './text.ts';

export const PullRequest = z.object({
  number: z.int().min(1),
  url: z.string(),
  title: z.string(),
  body: z.string(),
  state: PullRequestState,
  draft: z.boolean(),
  head: z.string(),
  headSha: CommitSha,
  base: z.string(),
  /** Null while the forge has not worked it out. */
  mergeable: z.boolean().nullable(),
});
export type PullRequest = z.infer<typeof PullRequest>;

/** `PATCH /api/sessions/:sessionId/pull-request` */
export const PullRequestEdit = z.strictObject({
  title: line(256).optional(),
  body: z.string().max(60_000).optional(),
});
export type PullRequestEdit = z.infer<typeof PullRequestEdit>;

export const MergeMethod = z.enum(['merge', 'squash', 'rebase']);
export type MergeMethod = z.infer<typeof MergeMethod>;

/** `POST /api/sessions/:sessionId/pull-request/merge` */
export const PullRequestMerge = z.strictObject({ method: MergeMethod.default('squash') });
export type PullRequestMerge = z.infer<typeof PullRequestMerge>;
