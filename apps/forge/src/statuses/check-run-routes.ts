import { Hono } from 'hono';
import * as z from 'zod';
import { type Forge, pathsOf } from '../forge.ts';
import { resolveCommit } from '../git/revisions.ts';
import { readJson } from '../http/body.ts';
import { type Env, type ForgeContext, idParam, requireWrite } from '../http/context.ts';
import { ApiError, notFound } from '../http/errors.ts';
import { pageOfList, queryOf, reply } from '../http/respond.ts';
import type { NewCheckRun } from '../store/checks.ts';
import type { CheckRunRow } from '../store/rows.ts';
import { emitAction } from '../webhooks/events.ts';
import { commitParam } from './routes.ts';
import { checkRunJson } from './to-json.ts';

const conclusion = z.enum([
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
]);
const fields = {
  status: z
    .enum(['queued', 'in_progress', 'completed', 'waiting', 'requested', 'pending'])
    .optional(),
  conclusion: conclusion.nullish(),
  details_url: z.url({ protocol: /^https?$/ }).nullish(),
  external_id: z.string().nullish(),
  started_at: z.iso.datetime({ offset: true }).optional(),
  completed_at: z.iso.datetime({ offset: true }).optional(),
  output: z
    .object({
      title: z.string().nullish(),
      summary: z.string().max(65_535).nullish(),
      text: z.string().max(65_535).nullish(),
    })
    .optional(),
};
const newRun = z.object({ name: z.string().min(1), head_sha: z.string().min(1), ...fields });
const runEdit = z.object({ name: z.string().min(1).optional(), ...fields });

export function checkRunRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const { checks, pulls } = forge.store;
  const show = (c: ForgeContext, run: CheckRunRow) => {
    const open = pulls
      .open(c.get('repository').id)
      .filter((pull) => pull.head_sha === run.head_sha);
    return checkRunJson(forge, c.get('repository'), run, open);
  };
  const emit = (c: ForgeContext, action: string, run: CheckRunRow) =>
    emitAction(forge, c.get('repository'), c.get('actor').user, 'check_run', action, {
      check_run: show(c, run),
    });
  app.post('/check-runs', async (c) => {
    requireWrite(c);
    const { name, head_sha: head, ...input } = await readJson(c, 'CheckRun', newRun);
    const sha = await resolveCommit(pathsOf(forge, c.get('repository')), head);
    if (sha === undefined) throw new ApiError(422, `No commit found for SHA: ${head}`);
    const blank: NewCheckRun = {
      repository_id: c.get('repository').id,
      head_sha: sha,
      name,
      status: 'queued',
      conclusion: null,
      details_url: null,
      external_id: null,
      output_title: null,
      output_summary: null,
      output_text: null,
      started_at: forge.now().toISOString(),
      completed_at: null,
    };
    const run = checks.addRun({ ...blank, ...changes(input, forge.now()) });
    emit(c, 'created', run);
    if (run.status === 'completed') emit(c, 'completed', run);
    return reply(c, show(c, run), 201);
  });
  const find = (c: ForgeContext): CheckRunRow => {
    const run = checks.run(c.get('repository').id, idParam(c, 'id'));
    if (run === undefined) throw notFound();
    return run;
  };
  app.get('/check-runs/:id', (c) => reply(c, show(c, find(c))));
  app.patch('/check-runs/:id', async (c) => {
    requireWrite(c);
    const before = find(c);
    const { name, ...input } = await readJson(c, 'CheckRun', runEdit);
    checks.updateRun(before.id, {
      ...(name === undefined ? {} : { name }),
      ...changes(input, forge.now()),
    });
    const run = find(c);
    if (run.status === 'completed' && before.status !== 'completed') emit(c, 'completed', run);
    return reply(c, show(c, run));
  });
  app.get('/commits/:ref/check-runs', async (c) => {
    const sha = await commitParam(forge, c, 'ref');
    const query = queryOf(c);
    const matching = checks
      .runs(c.get('repository').id, sha)
      .filter((run) => !query.has('check_name') || run.name === query.get('check_name'))
      .filter((run) => !query.has('status') || run.status === query.get('status'));
    const page = pageOfList(c, forge, matching);
    return reply(c, {
      total_count: matching.length,
      check_runs: page.items.map((run) => show(c, run)),
    });
  });
  return app;
}

type CheckRunInput = Omit<z.output<typeof runEdit>, 'name'>;

/** As on GitHub, a conclusion completes the run. */
function changes(input: CheckRunInput, now: Date): Partial<NewCheckRun> {
  const status =
    input.conclusion === undefined || input.conclusion === null ? input.status : 'completed';
  const completedAt =
    input.completed_at ?? (status === 'completed' ? now.toISOString() : undefined);
  const patch = {
    status,
    conclusion: input.conclusion,
    details_url: input.details_url,
    external_id: input.external_id,
    started_at: input.started_at,
    completed_at: completedAt,
    output_title: input.output?.title,
    output_summary: input.output?.summary,
    output_text: input.output?.text,
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
