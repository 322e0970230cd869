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
  /** Null while the forge has not worked it out. */
  mergeable: z.boolean().nullable(),
});
export type PullRequest = z.infer<typeof PullRequest>;

/** `PATCH /api/sessions/:sessionId/pull-request` */
export const PullRequestEdit = z
  .strictObject({
    requestId: RequestId,
    title: line(256).optional(),
    /** A person's own words; the generated part stays behind them. A forge takes 65,536 characters with both. */
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
  /** What was looked at: nobody merges commits that came in between. */
  headSha: CommitSha,
});
export type PullRequestMerge = z.infer<typeof PullRequestMerge>;

/** The verdict of the forge's checks on a commit; `unknown` when our token may not see them. */
export const PullRequestChecks = z.object({
  state: z.enum(['none', 'pending', 'passed', 'failed', 'unknown']),
  failed: z.array(z.string()),
});
export type PullRequestChecks = z.infer<typeof PullRequestChecks>;

/** `GET /api/sessions/:sessionId/pull-request`, and what its changes answer: as the forge has it now. */
export const PullRequestView = z.object({
  sessionId: SessionId,
  pullRequest: PullRequest,
  checks: PullRequestChecks,
});
export type PullRequestView = z.infer<typeof PullRequestView>;

/** `POST /api/sessions/:sessionId/update-from-base` */
export const BaseUpdate = z.object({
  sessionId: SessionId,
  /** `conflicted`: the agent was asked to bring the two together. */
  outcome: z.enum(['up-to-date', 'merged', 'conflicted']),
  /** Files in conflict. */
  files: z.array(z.string()),
});
export type BaseUpdate = z.infer<typeof BaseUpdate>;
