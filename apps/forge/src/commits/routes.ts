import { Hono } from 'hono';
import { type Forge, pathsOf } from '../forge.ts';
import {
  type Commit,
  type LogQuery,
  listCommitIds,
  readCommit,
  readCommits,
} from '../git/commits.ts';
import { diffFiles, diffText, emptyTree, patchText } from '../git/diff.ts';
import type { RepositoryPaths } from '../git/environment.ts';
import { resolveCommit } from '../git/revisions.ts';
import { isTreePath } from '../git/trees.ts';
import { type Env, type ForgeContext, textParam } from '../http/context.ts';
import { ApiError, badRequest, conflict, notFound } from '../http/errors.ts';
import { pageOf, plain, pageOfList, queryOf, reply, setLinks } from '../http/respond.ts';
import { limits } from '../limits.ts';
import { sameRepositoryBranch } from '../repositories/names.ts';
import { compare } from './compare.ts';
import { commitJson, commitWithFilesJson } from './to-json.ts';

export function acceptsFormat(c: ForgeContext, format: 'diff' | 'patch' | 'sha' | 'raw'): boolean {
  return new RegExp(`application/vnd\\.github\\.(v3\\.)?${format}`).test(
    c.req.header('accept') ?? '',
  );
}

export function commitRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/commits', async (c) => {
    const repository = c.get('repository');
    const paths = pathsOf(forge, repository);
    const query = queryOf(c);
    const start = await resolveCommit(paths, query.get('sha') ?? repository.default_branch);
    if (start === undefined) {
      if (query.has('sha')) throw notFound();
      throw conflict('Git Repository is empty.');
    }
    const page = pageOf(c);
    const log: LogQuery = {
      from: [start],
      skip: (page.number - 1) * page.size,
      count: page.size + 1,
    };
    const ids = await listCommitIds(paths, { ...log, ...filters(query) });
    setLinks(c, forge, ids.length > page.size);
    const commits = await readCommits(paths, ids.slice(0, page.size));
    return reply(
      c,
      commits.map((commit) => commitJson(forge, repository, commit)),
    );
  });
  app.get('/commits/:ref{.+}', async (c) => {
    const repository = c.get('repository');
    const paths = pathsOf(forge, repository);
    const revision = textParam(c, 'ref');
    const sha = await resolveCommit(paths, revision);
    const commit = sha === undefined ? undefined : await readCommit(paths, sha);
    if (commit === undefined) throw new ApiError(422, `No commit found for SHA: ${revision}`);
    const parent = commit.parents[0] ?? emptyTree;
    if (acceptsFormat(c, 'sha'))
      return plain(c, commit.sha, 'application/vnd.github.sha; charset=utf-8');
    if (acceptsFormat(c, 'diff'))
      return plain(
        c,
        await diffText(paths, parent, commit.sha),
        'application/vnd.github.diff; charset=utf-8',
      );
    return reply(c, await commitPage(c, forge, paths, commit, parent));
  });
  app.get('/compare/:basehead{.+}', async (c) => {
    const repository = c.get('repository');
    const paths = pathsOf(forge, repository);
    const [base, head, ...rest] = textParam(c, 'basehead').split('...');
    if (base === undefined || head === undefined || rest.length > 0) throw notFound();
    const resolve = async (name: string) => {
      const branch = sameRepositoryBranch(name, repository.owner, repository.name);
      return branch === undefined ? undefined : resolveCommit(paths, branch);
    };
    const [from, to] = await Promise.all([resolve(base), resolve(head)]);
    if (from === undefined || to === undefined) throw notFound();
    // Without paging, a comparison has up to 250 commits.
    const size = queryOf(c).has('per_page') ? pageOf(c).size : limits.compareCommits;
    const comparison = await compare(forge, repository, from, to, { ...pageOf(c), size });
    if (acceptsFormat(c, 'diff'))
      return plain(
        c,
        await diffText(paths, comparison.mergeBase, to),
        'application/vnd.github.diff; charset=utf-8',
      );
    if (acceptsFormat(c, 'patch'))
      return plain(
        c,
        await patchText(paths, comparison.mergeBase, to),
        'application/vnd.github.patch; charset=utf-8',
      );
    setLinks(c, forge, comparison.more);
    return reply(c, comparison.json(base, head));
  });
  return app;
}

async function commitPage(
  c: ForgeContext,
  forge: Forge,
  paths: RepositoryPaths,
  commit: Commit,
  parent: string,
) {
  const files = await diffFiles(paths, parent, commit.sha);
  const page = pageOfFiles(c, forge, files);
  return commitWithFilesJson(forge, c.get('repository'), commit, page);
}

/** The first 300 files of a commit, unless the client asks for a page. */
function pageOfFiles<T>(c: ForgeContext, forge: Forge, files: readonly T[]): readonly T[] {
  if (!queryOf(c).has('page') && !queryOf(c).has('per_page')) return files.slice(0, 300);
  return pageOfList(c, forge, files).items;
}

function filters(query: URLSearchParams): Partial<LogQuery> {
  const path = query.get('path');
  if (path !== null && path !== '' && !isTreePath(path)) throw badRequest('path is not valid');
  const author = query.get('author');
  const since = date(query.get('since'));
  const until = date(query.get('until'));
  return {
    ...(path === null || path === '' ? {} : { path }),
    ...(author === null ? {} : { author }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

function date(text: string | null): string | undefined {
  if (text === null) return undefined;
  const value = new Date(text);
  if (Number.isNaN(value.getTime())) throw badRequest('since and until must be ISO 8601 dates');
  return value.toISOString();
}
