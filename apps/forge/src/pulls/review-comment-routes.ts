import { Hono } from 'hono';
import * as z from 'zod';
import type { Forge } from '../forge.ts';
import { bodyText, readJson } from '../http/body.ts';
import { type Env, type ForgeContext, idParam, requireWrite } from '../http/context.ts';
import { notFound } from '../http/errors.ts';
import { noContent, reply, replyList } from '../http/respond.ts';
import { emitReviewComment, newReviewComment, buildReviewComment } from './review-comments.ts';
import { reviewCommentJson } from './review-json.ts';
import { syncedPull } from './routes.ts';

const replyBody = z.object({ body: bodyText.min(1) });
const newOrReply = z.union([
  newReviewComment,
  z.object({ body: bodyText.min(1), in_reply_to: z.int().positive() }),
]);

/** Comments on lines of a change, outside of a review. */
export function reviewCommentRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const { reviews, pulls } = forge.store;
  const answer = (c: ForgeContext, pullId: number, commentId: number, body: string) => {
    const repository = c.get('repository');
    const parent = reviews.comment(repository.id, commentId);
    if (parent === undefined || parent.issue_id !== pullId) throw notFound();
    const { id: _, created_at: __, updated_at: ___, ...location } = parent;
    const top = parent.in_reply_to ?? parent.id;
    return reviews.addComment({
      ...location,
      in_reply_to: top,
      user_id: c.get('actor').user.id,
      body,
    });
  };
  app.get('/pulls/:number/comments', async (c) => {
    const pull = await syncedPull(forge, c);
    return replyList(c, forge, reviews.comments(pull.id), (row) =>
      reviewCommentJson(forge, c.get('repository'), pull, row),
    );
  });
  app.post('/pulls/:number/comments', async (c) => {
    requireWrite(c);
    const pull = await syncedPull(forge, c);
    const input = await readJson(c, 'PullRequestReviewComment', newOrReply);
    const { user } = c.get('actor');
    const repository = c.get('repository');
    const row =
      'in_reply_to' in input
        ? answer(c, pull.id, input.in_reply_to, input.body)
        : reviews.addComment(await buildReviewComment(forge, repository, pull, user, input, null));
    emitReviewComment(forge, repository, pull, user, 'created', row);
    return reply(c, reviewCommentJson(forge, repository, pull, row), 201);
  });
  app.post('/pulls/:number/comments/:id/replies', async (c) => {
    requireWrite(c);
    const pull = await syncedPull(forge, c);
    const { body } = await readJson(c, 'PullRequestReviewComment', replyBody);
    const row = answer(c, pull.id, idParam(c, 'id'), body);
    emitReviewComment(forge, c.get('repository'), pull, c.get('actor').user, 'created', row);
    return reply(c, reviewCommentJson(forge, c.get('repository'), pull, row), 201);
  });
  const find = (c: ForgeContext) => {
    const row = reviews.comment(c.get('repository').id, idParam(c, 'id'));
    if (row === undefined) throw notFound();
    return { row, pull: pulls.byId(row.issue_id) };
  };
  app.get('/pulls/comments/:id', (c) => {
    const { row, pull } = find(c);
    return reply(c, reviewCommentJson(forge, c.get('repository'), pull, row));
  });
  app.patch('/pulls/comments/:id', async (c) => {
    requireWrite(c);
    const { body } = await readJson(c, 'PullRequestReviewComment', replyBody);
    reviews.updateComment(find(c).row.id, body);
    const { row, pull } = find(c);
    return reply(c, reviewCommentJson(forge, c.get('repository'), pull, row));
  });
  app.delete('/pulls/comments/:id', (c) => {
    requireWrite(c);
    reviews.removeComment(find(c).row.id);
    return noContent(c);
  });
  return app;
}
