import { Hono } from 'hono';
import * as z from 'zod';
import { commitJson } from '../commits/to-json.ts';
import { type Forge, pathsOf } from '../forge.ts';
import { readCommit } from '../git/commits.ts';
import { resolveCommit } from '../git/revisions.ts';
import { readJson } from '../http/body.ts';
import { type Env, type ForgeContext, requireWrite, textParam } from '../http/context.ts';
import { ApiError } from '../http/errors.ts';
import { reply, replyList } from '../http/respond.ts';
import { pullSimpleJson } from '../pulls/to-json.ts';
import { repositoryJson, repositoryUrl } from '../repositories/to-json.ts';
import type { StatusRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';
import { combine, newestByContext } from './combined.ts';
import { statusJson } from './to-json.ts';

const newStatus = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.url({ protocol: /^https?$/ }).nullish(),
  description: z.string().max(140).nullish(),
  context: z.string().min(1).max(255).default('default'),
});

/** The commit of the path; 422 when it does not exist, as on GitHub. */
export async function commitParam(forge: Forge, c: ForgeContext, name: string): Promise<string> {
  const revision = textParam(c, name);
  const sha = await resolveCommit(pathsOf(forge, c.get('repository')), revision);
  if (sha === undefined) throw new ApiError(422, `No commit found for SHA: ${revision}`);
  return sha;
}

export function statusRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const { checks } = forge.store;
  app.post('/statuses/:sha', async (c) => {
    requireWrite(c);
    const sha = await commitParam(forge, c, 'sha');
    const input = await readJson(c, 'Status', newStatus);
    const row = checks.addStatus(c.get('repository').id, {
      sha,
      state: input.state,
      context: input.context,
      description: input.description ?? null,
      target_url: input.target_url ?? null,
      user_id: c.get('actor').user.id,
      created_at: forge.now().toISOString(),
    });
    await emitStatus(forge, c, row);
    return reply(c, statusJson(forge, c.get('repository'), row), 201);
  });
  app.get('/commits/:ref/statuses', async (c) => {
    const sha = await commitParam(forge, c, 'ref');
    const rows = checks.statuses(c.get('repository').id, sha);
    return replyList(c, forge, rows, (row) => statusJson(forge, c.get('repository'), row));
  });
  app.get('/commits/:ref/status', async (c) => {
    const repository = c.get('repository');
    const sha = await commitParam(forge, c, 'ref');
    const rows = newestByContext(checks.statuses(repository.id, sha));
    const url = `${repositoryUrl(forge, repository)}/commits/${sha}`;
    return reply(c, {
      state: combine(rows.map((row) => row.state)),
      statuses: rows.map((row) => statusJson(forge, repository, row)),
      sha,
      total_count: rows.length,
      repository: repositoryJson(forge, repository),
      commit_url: url,
      url: `${url}/status`,
    });
  });
  app.get('/commits/:ref/pulls', async (c) => {
    const repository = c.get('repository');
    const sha = await commitParam(forge, c, 'ref');
    const rows = forge.store.pulls
      .list(repository.id)
      .filter((pull) => pull.head_sha === sha || pull.merge_commit_sha === sha);
    return replyList(c, forge, rows, (row) => pullSimpleJson(forge, repository, row));
  });
  return app;
}

async function emitStatus(forge: Forge, c: ForgeContext, row: StatusRow): Promise<void> {
  const repository = c.get('repository');
  if (!forge.outbox.hasSubscriber('status')) return;
  const commit = await readCommit(pathsOf(forge, repository), row.sha);
  if (commit === undefined) return;
  forge.outbox.emit('status', {
    id: row.id,
    sha: row.sha,
    name: `${repository.owner}/${repository.name}`,
    target_url: row.target_url,
    context: row.context,
    description: row.description,
    state: row.state,
    commit: commitJson(forge, repository, commit),
    branches: [],
    created_at: row.created_at,
    updated_at: row.created_at,
    repository: repositoryJson(forge, repository),
    sender: userJson(forge, c.get('actor').user),
  });
}
