import { Hono } from 'hono';
import * as z from 'zod';
import { type Forge, pathsOf } from '../forge.ts';
import { listCommitIds, readCommits } from '../git/commits.ts';
import { diffFiles, diffText, patchText } from '../git/diff.ts';
import { mergeBase } from '../git/revisions.ts';
import { acceptsFormat } from '../commits/routes.ts';
import { commitJson, fileJson } from '../commits/to-json.ts';
import { bodyText, readJson, title } from '../http/body.ts';
import { type Env, type ForgeContext, idParam, requireWrite } from '../http/context.ts';
import { ApiError, notFound } from '../http/errors.ts';
import { noContent, pageOfList, plain, queryOf, reply, replyList } from '../http/respond.ts';
import { limits } from '../limits.ts';
import type { PullRow } from '../store/rows.ts';
import { createPull } from './create.ts';
import { pullFacts } from './facts.ts';
import { filterPulls } from './filter.ts';
import { mergePull } from './merge.ts';
import { syncRefs } from './sync.ts';
import { pullJson, pullSimpleJson } from './to-json.ts';
import { updatePull } from './update.ts';
import { updateBranch } from './update-branch.ts';

const newPull = z.object({
  title,
  head: z.string().min(1),
  base: z.string().min(1),
  body: bodyText.nullish(),
  draft: z.boolean().default(false),
});

const pullEdit = z.object({
  title: title.optional(),
  body: bodyText.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().min(1).optional(),
});

const mergeInput = z.object({
  merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
  commit_title: z.string().max(1000).optional(),
  commit_message: bodyText.optional(),
  sha: z.string().optional(),
});

/** The pull request of the path, after a sync with its branches. */
export async function syncedPull(forge: Forge, c: ForgeContext): Promise<PullRow> {
  await syncPulls(forge, c);
  const pull = forge.store.pulls.find(c.get('repository').id, idParam(c, 'number'));
  if (pull === undefined) throw notFound();
  return pull;
}

async function syncPulls(forge: Forge, c: ForgeContext): Promise<void> {
  const repository = c.get('repository');
  await forge.queues.of(repository.id).run(() => syncRefs(forge, repository, c.get('actor').user));
}

export function pullRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const one = async (c: ForgeContext, pull: PullRow, status: 200 | 201 = 200) => {
    const facts = await pullFacts(forge, c.get('repository'), pull);
    return reply(c, pullJson(forge, c.get('repository'), pull, facts), status);
  };
  app.get('/pulls', async (c) => {
    await syncPulls(forge, c);
    const repository = c.get('repository');
    const rows = filterPulls(forge.store.pulls.list(repository.id), queryOf(c), repository);
    return replyList(c, forge, rows, (row) => pullSimpleJson(forge, repository, row));
  });
  app.post('/pulls', async (c) => {
    requireWrite(c);
    const body = await readJson(c, 'PullRequest', newPull);
    const input = { ...body, body: body.body ?? null };
    return one(c, await createPull(forge, c.get('repository'), c.get('actor').user, input), 201);
  });
  app.get('/pulls/:number', async (c) => {
    const pull = await syncedPull(forge, c);
    const paths = pathsOf(forge, c.get('repository'));
    const from = async () =>
      (await mergeBase(paths, pull.base_sha, pull.head_sha)) ?? pull.base_sha;
    if (acceptsFormat(c, 'diff'))
      return plain(
        c,
        await diffText(paths, await from(), pull.head_sha),
        'application/vnd.github.diff; charset=utf-8',
      );
    if (acceptsFormat(c, 'patch'))
      return plain(
        c,
        await patchText(paths, await from(), pull.head_sha),
        'application/vnd.github.patch; charset=utf-8',
      );
    return one(c, pull);
  });
  app.patch('/pulls/:number', async (c) => {
    requireWrite(c);
    const edit = await readJson(c, 'PullRequest', pullEdit);
    return one(
      c,
      await updatePull(forge, c.get('repository'), idParam(c, 'number'), c.get('actor').user, edit),
    );
  });
  app.get('/pulls/:number/merge', async (c) => {
    if ((await syncedPull(forge, c)).merged_at === null) throw notFound();
    return noContent(c);
  });
  app.put('/pulls/:number/merge', async (c) => {
    requireWrite(c);
    const body = await readJson(c, 'PullRequest', mergeInput);
    const input = {
      method: body.merge_method,
      title: body.commit_title,
      message: body.commit_message,
      sha: body.sha,
    };
    const sha = await mergePull(
      forge,
      c.get('repository'),
      idParam(c, 'number'),
      c.get('actor').user,
      input,
    );
    return reply(c, { sha, merged: true, message: 'Pull Request successfully merged' });
  });
  app.put('/pulls/:number/update-branch', async (c) => {
    requireWrite(c);
    const body = await readJson(
      c,
      'PullRequest',
      z.object({ expected_head_sha: z.string().optional() }),
    );
    const pull = await syncedPull(forge, c);
    await updateBranch(
      forge,
      c.get('repository'),
      pull,
      c.get('actor').user,
      body.expected_head_sha,
    );
    return reply(c, { message: 'Updating pull request branch.', url: c.req.url }, 202);
  });
  app.get('/pulls/:number/commits', async (c) => {
    const pull = await syncedPull(forge, c);
    const repository = c.get('repository');
    const paths = pathsOf(forge, repository);
    const query = { from: [pull.head_sha], without: [pull.base_sha], oldestFirst: true };
    const ids = (await listCommitIds(paths, query)).slice(0, limits.compareCommits);
    const commits = await readCommits(paths, pageOfList(c, forge, ids).items);
    return reply(
      c,
      commits.map((commit) => commitJson(forge, repository, commit)),
    );
  });
  app.get('/pulls/:number/files', async (c) => {
    const pull = await syncedPull(forge, c);
    const repository = c.get('repository');
    const paths = pathsOf(forge, repository);
    const start = await mergeBase(paths, pull.base_sha, pull.head_sha);
    if (start === undefined) throw new ApiError(422, 'The branches have no history in common.');
    const files = (await diffFiles(paths, start, pull.head_sha)).slice(0, limits.pullFiles);
    return replyList(c, forge, files, (file) => fileJson(forge, repository, file, pull.head_sha));
  });
  return app;
}
