import { Hono } from 'hono';
import * as z from 'zod';
import type { Forge } from '../forge.ts';
import { readJson } from '../http/body.ts';
import { type Env, type ForgeContext, requireWrite, textParam } from '../http/context.ts';
import { invalid, notFound } from '../http/errors.ts';
import { noContent, reply, replyList } from '../http/respond.ts';
import type { LabelRow } from '../store/rows.ts';
import { findIssue } from './routes.ts';
import { labelJson } from './to-json.ts';

const name = z.string().trim().min(1).max(50);
const newLabel = z.object({
  name,
  color: z
    .string()
    .regex(/^[0-9a-f]{6}$/i, 'is six hexadecimal digits')
    .default('ededed'),
  description: z.string().max(100).nullish(),
});
const names = z.object({ labels: z.array(name).max(100).default([]) });

export function labelRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const { labels, issues } = forge.store;
  const show = (c: ForgeContext) => (label: LabelRow) =>
    labelJson(forge, c.get('repository'), label);
  const find = (c: ForgeContext): LabelRow => {
    const label = labels.find(c.get('repository').id, textParam(c, 'name'));
    if (label === undefined) throw notFound();
    return label;
  };
  app.get('/labels', (c) => replyList(c, forge, labels.list(c.get('repository').id), show(c)));
  app.post('/labels', async (c) => {
    requireWrite(c);
    const input = await readJson(c, 'Label', newLabel);
    const { id } = c.get('repository');
    if (labels.find(id, input.name) !== undefined)
      throw invalid({ resource: 'Label', field: 'name', code: 'already_exists' });
    return reply(
      c,
      show(c)(labels.ensure(id, input.name, input.color.toLowerCase(), input.description ?? null)),
      201,
    );
  });
  app.get('/labels/:name', (c) => reply(c, show(c)(find(c))));
  app.delete('/labels/:name', (c) => {
    requireWrite(c);
    labels.remove(find(c).id);
    return noContent(c);
  });
  app.get('/issues/:number/labels', (c) =>
    replyList(c, forge, issues.labels(findIssue(forge, c).id), show(c)),
  );
  app.on(['POST', 'PUT'], '/issues/:number/labels', async (c) => {
    requireWrite(c);
    const issue = findIssue(forge, c);
    const input = await readJson(c, 'Label', names);
    const ids = input.labels.map((one) => labels.ensure(c.get('repository').id, one).id);
    const kept = c.req.method === 'POST' ? issues.labels(issue.id).map((label) => label.id) : [];
    issues.setLabels(issue.id, [...kept, ...ids]);
    return reply(c, issues.labels(issue.id).map(show(c)));
  });
  app.delete('/issues/:number/labels', (c) => {
    requireWrite(c);
    issues.setLabels(findIssue(forge, c).id, []);
    return noContent(c);
  });
  app.delete('/issues/:number/labels/:name', (c) => {
    requireWrite(c);
    const issue = findIssue(forge, c);
    const gone = find(c).id;
    const current = issues.labels(issue.id).map((label) => label.id);
    if (!current.includes(gone)) throw notFound();
    issues.setLabels(
      issue.id,
      current.filter((id) => id !== gone),
    );
    return reply(c, issues.labels(issue.id).map(show(c)));
  });
  return app;
}
