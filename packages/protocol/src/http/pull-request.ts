import * as z from 'zod';
import { CommitSha, PullRequestState } from '../events/git-events.ts';
import { RequestId, SessionId } from '../ids.ts';
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
  /** Null while the forge has not computed it. */
  mergeable: z.boolean().nullable(),
});
export type PullRequest = z.infer<typeof PullRequest>;

/** `PATCH /api/sessions/:sessionId/pull-request` */
export const PullRequestEdit = z
  .strictObject({
    requestId: RequestId,
    title: line(256).optional(),
    /** A person's own text; the generated part stays after it. A forge accepts 65,536 characters for both. */
    body: z.string().max(30_000).optional(),
  })
  .refine(({ title, body }) => title !== undefined || body !== undefined, {
    message: 'must change the title or the body',
  });
export type PullRequestEdit = z.infer<typeof PullRequestEdit>;

export const MergeMethod = z.enum(['merge', 'squash', 'rebase']);
export type MergeMethod = z.infer<typeof MergeMethod>;

/** `POST /api/sessions/:sessionId/pull-request/merge` */
export const PullRequestMerge = z.strictObject({
  requestId: RequestId,
  method: MergeMethod.default('squash'),
  /** The reviewed commit: later commits must not be merged unseen. */
  headSha: CommitSha,
});
export type PullRequestMerge = z.infer<typeof PullRequestMerge>;

/** The result of the forge's checks on a commit; `unknown` when Ship's token has no access to them. */
export const PullRequestChecks = z.object({
  state: z.enum(['none', 'pending', 'passed', 'failed', 'unknown']),
  failed: z.array(z.string()),
});
export type PullRequestChecks = z.infer<typeof PullRequestChecks>;

/** `GET /api/sessions/:sessionId/pull-request`, and the response of its changes: the current state at the forge. */
export const PullRequestView = z.object({
  sessionId: SessionId,
  pullRequest: PullRequest,
  checks: PullRequestChecks,
});
export type PullRequestView = z.infer<typeof PullRequestView>;

/** `POST /api/sessions/:sessionId/update-from-base` */
export const BaseUpdate = z.object({
  sessionId: SessionId,
  /** `conflicted`: the agent was asked to resolve the conflict. */
  outcome: z.enum(['up-to-date', 'merged', 'conflicted']),
  /** Files in conflict. */
  files: z.array(z.string()),
});
export type BaseUpdate = z.infer<typeof BaseUpdate>;
