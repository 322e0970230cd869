import * as z from 'zod';
import { type Forge, pathsOf } from '../forge.ts';
import { diffFiles } from '../git/diff.ts';
import { mergeBase } from '../git/revisions.ts';
import { bodyText } from '../http/body.ts';
import { invalid } from '../http/errors.ts';
import type { PullRow, RepositoryRow, ReviewCommentRow, UserRow } from '../store/rows.ts';
import type { NewReviewComment } from '../store/reviews.ts';
import { emitAction } from '../webhooks/events.ts';
import { atPosition, findLine } from './hunk.ts';
import { pullSimpleJson } from './to-json.ts';
import { reviewCommentJson } from './review-json.ts';

const side = z.enum(['LEFT', 'RIGHT']);

export const newReviewComment = z.object({
  body: bodyText.min(1),
  path: z.string().min(1),
  commit_id: z.string().optional(),
  position: z.int().positive().optional(),
  line: z.int().positive().optional(),
  side: side.default('RIGHT'),
  start_line: z.int().positive().nullish(),
  start_side: side.nullish(),
  subject_type: z.enum(['line', 'file']).default('line'),
});

export type ReviewCommentInput = z.output<typeof newReviewComment>;

/** Builds the row of a comment. As on GitHub, its line must be part of the diff. */
export async function buildReviewComment(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  user: UserRow,
  input: ReviewCommentInput,
  reviewId: number | null,
): Promise<NewReviewComment> {
  const paths = pathsOf(forge, repository);
  const start = (await mergeBase(paths, pull.base_sha, pull.head_sha)) ?? pull.base_sha;
  const file = (await diffFiles(paths, start, pull.head_sha)).find(
    (one) => one.path === input.path,
  );
  const resource = 'PullRequestReviewComment';
  if (file === undefined)
    throw invalid({
      resource,
      field: 'path',
      code: 'invalid',
      message: 'path is not part of the diff',
    });
  const found = locate(file.patch ?? '', input);
  if (found === undefined)
    throw invalid({
      resource,
      field: 'line',
      code: 'invalid',
      message: 'line must be part of the diff',
    });
  return {
    issue_id: pull.id,
    review_id: reviewId,
    in_reply_to: null,
    user_id: user.id,
    body: input.body,
    path: input.path,
    commit_sha: input.commit_id ?? pull.head_sha,
    diff_hunk: found.hunk,
    position: found.position,
    line: found.line,
    side: input.side,
    start_line: input.start_line ?? null,
    start_side: input.start_side ?? null,
    subject_type: input.subject_type,
  };
}

function locate(patch: string, input: ReviewCommentInput) {
  if (input.subject_type === 'file')
    return { hunk: patch.split('\n', 1)[0] ?? '', position: null, line: null };
  if (input.line !== undefined) {
    const found = findLine(patch, input.line, input.side);
    return found === undefined ? undefined : { ...found, line: input.line };
  }
  const found = input.position === undefined ? undefined : atPosition(patch, input.position);
  return found === undefined ? undefined : { ...found, position: input.position ?? null };
}

export function emitReviewComment(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  sender: UserRow,
  action: string,
  comment: ReviewCommentRow,
): void {
  emitAction(forge, repository, sender, 'pull_request_review_comment', action, {
    comment: reviewCommentJson(forge, repository, pull, comment),
    pull_request: pullSimpleJson(forge, repository, pull),
  });
}
