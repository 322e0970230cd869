import { Hono } from 'hono';
import * as z from 'zod';
import type { Forge } from '../forge.ts';
import { bodyText, readJson } from '../http/body.ts';
import { type Env, type ForgeContext, idParam, requireWrite } from '../http/context.ts';
import { invalid, invalidReview, notFound } from '../http/errors.ts';
import { reply, replyList } from '../http/respond.ts';
import { isOwnerName } from '../repositories/names.ts';
import type { PullRow, ReviewRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';
import { emitAction } from '../webhooks/events.ts';
import { emitPullEvent, factsForEvent } from './events.ts';
import { emitReviewComment, newReviewComment, buildReviewComment } from './review-comments.ts';
import { reviewCommentJson, reviewJson } from './review-json.ts';
import { syncedPull } from './routes.ts';
import { pullSimpleJson } from './to-json.ts';

const events = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
} as const;
const event = z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']);

const newReview = z.object({
  body: bodyText.default(''),
  event: event.optional(),
  commit_id: z.string().optional(),
  comments: z.array(newReviewComment).max(500).default([]),
});

const reviewers = z.object({ reviewers: z.array(z.string()).max(100).default([]) });

export function reviewRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const { reviews, pulls, users, issues, db } = forge.store;
  const emitSubmitted = (c: ForgeContext, pull: PullRow, review: ReviewRow) => {
    const repository = c.get('repository');
    if (review.state === 'PENDING') return;
    const json = reviewJson(forge, repository, pull, review);
    // GitHub's events have the state in lower case.
    emitAction(forge, repository, c.get('actor').user, 'pull_request_review', 'submitted', {
      review: { ...json, state: review.state.toLowerCase() },
      pull_request: pullSimpleJson(forge, repository, pull),
    });
  };
  app.get('/pulls/:number/reviews', async (c) => {
    const pull = await syncedPull(forge, c);
    return replyList(c, forge, reviews.list(pull.id), (row) =>
      reviewJson(forge, c.get('repository'), pull, row),
    );
  });
  app.post('/pulls/:number/reviews', async (c) => {
    requireWrite(c);
    const pull = await syncedPull(forge, c);
    const repository = c.get('repository');
    const { user } = c.get('actor');
    const input = await readJson(c, 'PullRequestReview', newReview);
    const needsBody =
      input.event === 'REQUEST_CHANGES' ||
      (input.event === 'COMMENT' && input.comments.length === 0);
    if (needsBody && input.body.trim() === '') throw invalidReview('Body cannot be blank');
    if (input.event !== undefined && input.event !== 'COMMENT' && pull.user_id === user.id)
      throw invalidReview(
        input.event === 'APPROVE'
          ? 'Can not approve your own pull request'
          : 'Can not request changes on your own pull request',
      );
    const rows = await Promise.all(
      input.comments.map((comment) =>
        buildReviewComment(forge, repository, pull, user, comment, null),
      ),
    );
    const created = db.transaction(() => {
      const review = reviews.add({
        issue_id: pull.id,
        user_id: user.id,
        body: input.body,
        state: input.event === undefined ? 'PENDING' : events[input.event],
        commit_sha: input.commit_id ?? pull.head_sha,
        submitted_at: input.event === undefined ? null : forge.now().toISOString(),
      });
      const comments = rows.map((row) => reviews.addComment({ ...row, review_id: review.id }));
      emitSubmitted(c, pull, review);
      for (const row of comments) emitReviewComment(forge, repository, pull, user, 'created', row);
      return review;
    });
    return reply(c, reviewJson(forge, repository, pull, created));
  });
  const find = async (c: ForgeContext) => {
    const pull = await syncedPull(forge, c);
    const review = reviews.find(pull.id, idParam(c, 'id'));
    if (review === undefined) throw notFound();
    return { pull, review };
  };
  const show = (c: ForgeContext, pull: PullRow, id: number) => {
    const review = reviews.find(pull.id, id);
    if (review === undefined) throw notFound();
    return reply(c, reviewJson(forge, c.get('repository'), pull, review));
  };
  app.get('/pulls/:number/reviews/:id', async (c) => {
    const { pull, review } = await find(c);
    return show(c, pull, review.id);
  });
  app.get('/pulls/:number/reviews/:id/comments', async (c) => {
    const { pull, review } = await find(c);
    const rows = reviews.comments(pull.id).filter((row) => row.review_id === review.id);
    return replyList(c, forge, rows, (row) =>
      reviewCommentJson(forge, c.get('repository'), pull, row),
    );
  });
  app.post('/pulls/:number/reviews/:id/events', async (c) => {
    requireWrite(c);
    const { pull, review } = await find(c);
    const input = await readJson(
      c,
      'PullRequestReview',
      z.object({ event, body: bodyText.optional() }),
    );
    if (review.state !== 'PENDING') throw invalidReview('Review is already submitted');
    const text = input.body === undefined ? {} : { body: input.body };
    const now = forge.now().toISOString();
    reviews.update(review.id, { state: events[input.event], submitted_at: now, ...text });
    const after = reviews.find(pull.id, review.id);
    if (after !== undefined) emitSubmitted(c, pull, after);
    return show(c, pull, review.id);
  });
  app.put('/pulls/:number/reviews/:id/dismissals', async (c) => {
    requireWrite(c);
    const { pull, review } = await find(c);
    await readJson(c, 'PullRequestReview', z.object({ message: z.string().min(1) }));
    if (!['APPROVED', 'CHANGES_REQUESTED'].includes(review.state))
      throw invalidReview('Can not dismiss a commented or pending review');
    reviews.update(review.id, { state: 'DISMISSED' });
    return show(c, pull, review.id);
  });
  app.get('/pulls/:number/requested_reviewers', async (c) => {
    const pull = await syncedPull(forge, c);
    return reply(c, {
      users: users.byIds(pull.reviewers).map((user) => userJson(forge, user)),
      teams: [],
    });
  });
  app.on(['POST', 'DELETE'], '/pulls/:number/requested_reviewers', async (c) => {
    requireWrite(c);
    const pull = await syncedPull(forge, c);
    const input = await readJson(c, 'PullRequest', reviewers);
    if (!input.reviewers.every(isOwnerName))
      throw invalid({ resource: 'PullRequest', field: 'reviewers', code: 'invalid' });
    const requested = input.reviewers.map((login) => users.findOrCreate(login));
    const adding = c.req.method === 'POST';
    if (adding && requested.some((user) => user.id === pull.user_id))
      throw invalid({
        resource: 'PullRequest',
        code: 'custom',
        message: 'Review cannot be requested from pull request author.',
      });
    const current = users.byIds(pull.reviewers).map((user) => user.id);
    const ids = new Set(requested.map((user) => user.id));
    const kept = adding ? [...new Set([...current, ...ids])] : current.filter((id) => !ids.has(id));
    const facts = await factsForEvent(forge, c.get('repository'), pull);
    const action = adding ? 'review_requested' : 'review_request_removed';
    const after = db.transaction(() => {
      pulls.update(pull.id, { reviewers: JSON.stringify(kept) });
      issues.update(pull.id, {});
      const row = pulls.byId(pull.id);
      for (const user of requested)
        emitPullEvent(forge, c.get('repository'), c.get('actor').user, row, facts, action, {
          requested_reviewer: userJson(forge, user),
        });
      return row;
    });
    return reply(c, pullSimpleJson(forge, c.get('repository'), after), adding ? 201 : 200);
  });
  return app;
}
