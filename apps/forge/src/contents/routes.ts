import { Hono } from 'hono';
import { acceptsFormat } from '../commits/routes.ts';
import { type Forge, pathsOf } from '../forge.ts';
import type { RepositoryPaths } from '../git/environment.ts';
import { resolveCommit } from '../git/revisions.ts';
import { findEntry, isTreePath, readBlob, readTree, type TreeEntry } from '../git/trees.ts';
import { type Env, type ForgeContext, textParam } from '../http/context.ts';
import { ApiError, forbidden, notFound } from '../http/errors.ts';
import { plain, queryOf, reply } from '../http/respond.ts';
import { contentType, encodeContent, entryJson } from './to-json.ts';

export function contentRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const show = async (c: ForgeContext, path: string): Promise<Response> => {
    const repository = c.get('repository');
    const paths = pathsOf(forge, repository);
    const ref = queryOf(c).get('ref') ?? repository.default_branch;
    const commit = await resolveCommit(paths, ref);
    if (commit === undefined) {
      if (path === '' && !queryOf(c).has('ref'))
        throw new ApiError(404, 'This repository is empty.');
      throw new ApiError(404, `No commit found for the ref ${ref}`);
    }
    if (path === '') return listing(c, paths, commit, '', ref);
    if (!isTreePath(path)) throw notFound();
    const entry = await findEntry(paths, commit, path);
    if (entry === undefined) throw notFound();
    if (entry.type === 'tree') return listing(c, paths, entry.sha, `${path}/`, ref);
    return file(c, paths, entry, ref);
  };
  const listing = async (
    c: ForgeContext,
    paths: RepositoryPaths,
    tree: string,
    prefix: string,
    ref: string,
  ) => {
    const { entries } = await readTree(paths, tree, false);
    const items = entries
      .slice(0, 1000)
      .map((entry) => entryJson(forge, c.get('repository'), entry, prefix + entry.path, ref));
    return reply(c, items);
  };
  const file = async (c: ForgeContext, paths: RepositoryPaths, entry: TreeEntry, ref: string) => {
    const json = entryJson(forge, c.get('repository'), entry, entry.path, ref);
    if (entry.type === 'commit') return reply(c, { ...json, submodule_git_url: null });
    const content = await readBlob(paths, entry.sha);
    if (content === undefined)
      throw forbidden('This file is too large for the API. Clone the repository.');
    if (acceptsFormat(c, 'raw'))
      return plain(c, content, 'application/vnd.github.raw; charset=utf-8');
    if (contentType(entry) === 'symlink')
      return reply(c, { ...json, target: content.toString('utf8') });
    return reply(c, { ...json, ...encodeContent(content) });
  };
  app.get('/contents', (c) => show(c, ''));
  app.get('/contents/:path{.*}', (c) => show(c, textParam(c, 'path').replace(/\/$/, '')));
  return app;
}
