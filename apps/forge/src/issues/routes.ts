import { Hono } from 'hono';
import * as z from 'zod';
import type { Forge } from '../forge.ts';
import { bodyText, readJson, title } from '../http/body.ts';
import { type Env, type ForgeContext, idParam, requireWrite } from '../http/context.ts';
import { invalid, notFound, unprocessable } from '../http/errors.ts';
import { queryOf, reply, replyList } from '../http/respond.ts';
import { sortRows } from '../pulls/filter.ts';
import { updatePull } from '../pulls/update.ts';
import { isOwnerName } from '../repositories/names.ts';
import type { IssueRow } from '../store/rows.ts';
import { emitAction } from '../webhooks/events.ts';
import { issueJson } from './to-json.ts';

const labelNames = z.array(
  z.union([z.string(), z.object({ name: z.string() }).transform((label) => label.name)]),
);
const logins = z.array(z.string().refine(isOwnerName, 'is not a login')).max(10);

const newIssue = z.object({
  title: z.union([title, z.number().transform(String)]),
  body: bodyText.nullish(),
  labels: labelNames.default([]),
  assignees: logins.default([]),
});

const issueEdit = z.object({
  title: title.optional(),
  body: bodyText.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'reopened', 'duplicate']).nullish(),
  labels: labelNames.optional(),
  assignees: logins.optional(),
});

export function findIssue(forge: Forge, c: ForgeContext): IssueRow {
  const issue = forge.store.issues.find(c.get('repository').id, idParam(c, 'number'));
  if (issue === undefined) throw notFound();
  return issue;
}

export function issueRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const { issues, labels, users, db } = forge.store;
  const ids = (names: readonly string[]) =>
    JSON.stringify(names.map((login) => users.findOrCreate(login).id));
  const labelIds = (c: ForgeContext, names: readonly string[]) =>
    names.map((name) => labels.ensure(c.get('repository').id, name).id);
  const emit = (c: ForgeContext, action: string, issue: IssueRow) =>
    emitAction(forge, c.get('repository'), c.get('actor').user, 'issues', action, {
      issue: issueJson(forge, c.get('repository'), issue),
    });
  app.get('/issues', (c) => {
    const rows = filterIssues(forge, issues.list(c.get('repository').id), queryOf(c));
    return replyList(c, forge, rows, (row) => issueJson(forge, c.get('repository'), row));
  });
  app.post('/issues', async (c) => {
    requireWrite(c);
    const input = await readJson(c, 'Issue', newIssue);
    const issue = db.transaction(() => {
      const row = issues.add(c.get('repository').id, {
        title: input.title,
        body: input.body ?? null,
        userId: c.get('actor').user.id,
        isPull: false,
      });
      issues.setLabels(row.id, labelIds(c, input.labels));
      issues.update(row.id, { assignees: ids(input.assignees) });
      emit(c, 'opened', issues.byId(row.id));
      return issues.byId(row.id);
    });
    return reply(c, issueJson(forge, c.get('repository'), issue), 201);
  });
  app.get('/issues/:number', (c) =>
    reply(c, issueJson(forge, c.get('repository'), findIssue(forge, c))),
  );
  app.patch('/issues/:number', async (c) => {
    requireWrite(c);
    const issue = findIssue(forge, c);
    const { labels: names, assignees, ...edit } = await readJson(c, 'Issue', issueEdit);
    if (issue.is_pull === 1)
      await updatePull(forge, c.get('repository'), issue.number, c.get('actor').user, edit);
    const closing = edit.state !== undefined && edit.state !== issue.state ? edit.state : undefined;
    const now = forge.now().toISOString();
    db.transaction(() => {
      if (names !== undefined) issues.setLabels(issue.id, labelIds(c, names));
      issues.update(issue.id, {
        ...(assignees === undefined ? {} : { assignees: ids(assignees) }),
        ...(issue.is_pull === 1 || edit.title === undefined ? {} : { title: edit.title }),
        ...(issue.is_pull === 1 || edit.body === undefined ? {} : { body: edit.body }),
        ...(issue.is_pull === 1 || closing === undefined
          ? {}
          : {
              state: closing,
              closed_at: closing === 'closed' ? now : null,
              state_reason: edit.state_reason ?? (closing === 'closed' ? 'completed' : 'reopened'),
            }),
      });
    });
    const after = issues.byId(issue.id);
    const action = closing === undefined ? 'edited' : closing === 'closed' ? 'closed' : 'reopened';
    if (issue.is_pull === 0) emit(c, action, after);
    return reply(c, issueJson(forge, c.get('repository'), after));
  });
  return app;
}

function filterIssues(forge: Forge, rows: readonly IssueRow[], query: URLSearchParams): IssueRow[] {
  const state = query.get('state') ?? 'open';
  if (!['open', 'closed', 'all'].includes(state))
    throw unprocessable('state must be open, closed or all');
  const wanted = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
  const since = query.get('since');
  if (since !== null && Number.isNaN(Date.parse(since)))
    throw invalid({ resource: 'Issue', field: 'since', code: 'invalid' });
  const matching = rows.filter((row) => {
    if (state !== 'all' && row.state !== state) return false;
    if (since !== null && Date.parse(row.updated_at) < Date.parse(since)) return false;
    if (wanted.length === 0) return true;
    const names = forge.store.issues.labels(row.id).map((label) => label.name.toLowerCase());
    return wanted.every((name) => names.includes(name.toLowerCase()));
  });
  return sortRows(matching, query);
}
