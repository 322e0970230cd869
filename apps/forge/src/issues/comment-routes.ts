import { Hono } from 'hono';
import * as z from 'zod';
import type { Forge } from '../forge.ts';
import { bodyText, readJson } from '../http/body.ts';
import { type Env, type ForgeContext, idParam, requireWrite } from '../http/context.ts';
import { notFound } from '../http/errors.ts';
import { noContent, queryOf, reply, replyList } from '../http/respond.ts';
import type { CommentRow, IssueRow } from '../store/rows.ts';
import { emitAction } from '../webhooks/events.ts';
import { findIssue } from './routes.ts';
import { commentJson, issueJson } from './to-json.ts';

const commentBody = z.object({ body: bodyText.min(1) });

/** Comments of issues and of pull requests as a whole. */
export function commentRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const { issues, db } = forge.store;
  const show = (c: ForgeContext, row: CommentRow) =>
    commentJson(forge, c.get('repository'), issues.byId(row.issue_id), row);
  const emit = (c: ForgeContext, action: string, issue: IssueRow, row: CommentRow) =>
    emitAction(forge, c.get('repository'), c.get('actor').user, 'issue_comment', action, {
      issue: issueJson(forge, c.get('repository'), issue),
      comment: show(c, row),
      ...(action === 'edited' ? { changes: {} } : {}),
    });
  const find = (c: ForgeContext): CommentRow => {
    const row = issues.comment(c.get('repository').id, idParam(c, 'id'));
    if (row === undefined) throw notFound();
    return row;
  };
  app.get('/issues/comments', (c) => {
    const rows = since(c, issues.commentsOfRepository(c.get('repository').id));
    return replyList(c, forge, rows, (row) => show(c, row));
  });
  app.get('/issues/comments/:id', (c) => reply(c, show(c, find(c))));
  app.patch('/issues/comments/:id', async (c) => {
    requireWrite(c);
    const { body } = await readJson(c, 'IssueComment', commentBody);
    const { id, issue_id: issueId } = find(c);
    db.transaction(() => {
      issues.updateComment(id, body);
      emit(c, 'edited', issues.byId(issueId), find(c));
    });
    return reply(c, show(c, find(c)));
  });
  app.delete('/issues/comments/:id', (c) => {
    requireWrite(c);
    const row = find(c);
    db.transaction(() => {
      emit(c, 'deleted', issues.byId(row.issue_id), row);
      issues.removeComment(row.id);
    });
    return noContent(c);
  });
  app.get('/issues/:number/comments', (c) => {
    const rows = since(c, issues.comments(findIssue(forge, c).id));
    return replyList(c, forge, rows, (row) => show(c, row));
  });
  app.post('/issues/:number/comments', async (c) => {
    requireWrite(c);
    const issue = findIssue(forge, c);
    const { body } = await readJson(c, 'IssueComment', commentBody);
    const row = db.transaction(() => {
      const created = issues.addComment(issue.id, c.get('actor').user.id, body);
      emit(c, 'created', issues.byId(issue.id), created);
      return created;
    });
    return reply(c, show(c, row), 201);
  });
  return app;
}

function since(c: ForgeContext, rows: CommentRow[]): CommentRow[] {
  const time = Date.parse(queryOf(c).get('since') ?? '');
  return Number.isNaN(time) ? rows : rows.filter((row) => Date.parse(row.updated_at) >= time);
}
