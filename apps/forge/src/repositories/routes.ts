import { Hono } from 'hono';
import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { type Forge, pathsOf } from '../forge.ts';
import { setHead } from '../git/head.ts';
import { isValidBranchName } from '../git/ref-names.ts';
import { privateStoreDir } from '../git/private-store.ts';
import { readRef } from '../git/refs.ts';
import { viewDir } from '../git/view.ts';
import { readJson } from '../http/body.ts';
import { type Env, type ForgeContext, requireWrite } from '../http/context.ts';
import { conflict, forbidden, invalid, notFound } from '../http/errors.ts';
import { noContent, queryOf, reply, replyList } from '../http/respond.ts';
import type { RepositoryRow } from '../store/rows.ts';
import { createBare, registerFolder, requireOnDisk } from './register.ts';
import { renameRepository } from './rename.ts';
import { repositorySizeKb } from './size.ts';
import { repositoryJson } from './to-json.ts';
import { workingCopyAt } from './working-copy.ts';

const newRepository = z.object({
  name: z.string(),
  description: z.string().nullish(),
  default_branch: z.string().optional(),
});

const patchRepository = z.object({
  name: z.string().optional(),
  description: z.string().nullish(),
  default_branch: z.string().optional(),
  archived: z.boolean().optional(),
  delete_branch_on_merge: z.boolean().optional(),
});

const registration = z.object({
  path: z.string().min(1),
  owner: z.string().optional(),
  name: z.string().optional(),
  default_branch: z.string().optional(),
});

/** Routes without a repository in the path: lists, creation, registration. */
export function repositoryListRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const list = (c: ForgeContext, owner?: string): Response => {
    const actor = c.get('actor');
    const rows = forge.store.repositories
      .list()
      .filter((row) => actor.canAccess(`${row.owner}/${row.name}`))
      .filter((row) => owner === undefined || row.owner.toLowerCase() === owner.toLowerCase());
    const sorted = queryOf(c).get('sort') === 'full_name' ? rows : rows.toSorted(newestFirst);
    return replyList(c, forge, sorted, (row) => repositoryJson(forge, row, c.get('actor')));
  };
  const create = async (c: ForgeContext, owner: string): Promise<Response> => {
    requireWrite(c);
    const body = await readJson(c, 'Repository', newRepository);
    const defaultBranch = body.default_branch ?? 'main';
    if (!isValidBranchName(defaultBranch))
      throw invalid({ resource: 'Repository', field: 'default_branch', code: 'invalid' });
    const input = { owner, name: body.name, description: body.description ?? null, defaultBranch };
    const row = await createBare(forge, input);
    return reply(c, repositoryJson(forge, row, c.get('actor')), 201);
  };
  app.get('/user/repos', (c) => list(c));
  app.post('/user/repos', (c) => create(c, c.get('actor').user.login));
  app.get('/users/:owner/repos', (c) => list(c, c.req.param('owner')));
  app.get('/orgs/:owner/repos', (c) => list(c, c.req.param('owner')));
  app.post('/orgs/:owner/repos', (c) => create(c, c.req.param('owner')));
  // Not in GitHub's API: registers a user's folder.
  app.post('/ship/repositories', async (c) => {
    requireWrite(c);
    const body = await readJson(c, 'Repository', registration);
    const { path, owner, name, default_branch: defaultBranch } = body;
    const row = await registerFolder(forge, { path, owner, name, defaultBranch });
    const shown = repositoryJson(forge, row, c.get('actor'));
    const workingCopy = await workingCopyAt(forge, row, path);
    return reply(c, { ...shown, path: row.folder ?? row.git_dir, working_copy: workingCopy }, 201);
  });
  return app;
}

/** `/repos/:owner/:repo` itself. */
export function repositoryRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/', async (c) => {
    const repository = c.get('repository');
    const size = await repositorySizeKb(repository.git_dir);
    return reply(c, { ...repositoryJson(forge, repository, c.get('actor')), size });
  });
  app.patch('/', async (c) => {
    if (!c.get('actor').canWrite) requireWrite(c);
    const body = await readJson(c, 'Repository', patchRepository);
    const repository = c.get('repository');
    if (body.archived !== false) requireWrite(c);
    if (body.name !== undefined) renameRepository(forge, repository, body.name);
    if (body.default_branch !== undefined)
      await checkDefault(forge, repository, body.default_branch);
    const row = forge.store.repositories.update(repository.id, {
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.default_branch === undefined ? {} : { default_branch: body.default_branch }),
      ...(body.archived === undefined ? {} : { archived: Number(body.archived) }),
      ...(body.delete_branch_on_merge === undefined
        ? {}
        : { delete_branch_on_merge: Number(body.delete_branch_on_merge) }),
    });
    return reply(c, repositoryJson(forge, row, c.get('actor')));
  });
  app.delete('/', async (c) => {
    if (!c.get('actor').canWrite) requireWrite(c);
    const repository = c.get('repository');
    const inside = repository.kind === 'bare' && repository.git_dir.startsWith(`${forge.root}/`);
    forge.store.repositories.remove(repository.id);
    for (const dir of [viewDir, privateStoreDir])
      await rm(dir(pathsOf(forge, repository)), { recursive: true, force: true });
    // Delete only what the forge created; a user's folder is just no longer served.
    if (inside) await rm(repository.git_dir, { recursive: true, force: true });
    return noContent(c);
  });
  return app;
}

async function checkDefault(
  forge: Forge,
  repository: RepositoryRow,
  branch: string,
): Promise<void> {
  const paths = pathsOf(forge, repository);
  const ref = isValidBranchName(branch) ? await readRef(paths, `refs/heads/${branch}`) : undefined;
  if (ref === undefined)
    throw invalid({
      resource: 'Repository',
      field: 'default_branch',
      code: 'invalid',
      message: `The branch ${branch} was not found.`,
    });
  // In a working copy HEAD is the user's checked-out branch.
  if (repository.kind === 'bare' && !setHead(paths.gitDir, branch))
    throw conflict('HEAD is locked by another git process. Try again.');
}

function newestFirst(a: RepositoryRow, b: RepositoryRow): number {
  return b.id - a.id;
}

/** 404 when the repository does not exist or the token has no access to it. */
export function requireVisible(row: RepositoryRow | undefined, c: ForgeContext): RepositoryRow {
  if (row === undefined || !c.get('actor').canAccess(`${row.owner}/${row.name}`)) throw notFound();
  if (c.req.method !== 'GET' && !c.get('actor').canWrite)
    throw forbidden('Resource not accessible by personal access token');
  if (c.req.method !== 'DELETE') requireOnDisk(row);
  return row;
}
