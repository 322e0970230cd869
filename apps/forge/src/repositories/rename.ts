import type { Hono } from 'hono';
import type { Forge } from '../forge.ts';
import type { Env, ForgeContext } from '../http/context.ts';
import { notFound } from '../http/errors.ts';
import { reply } from '../http/respond.ts';
import type { RepositoryRow } from '../store/rows.ts';
import { checkNames } from './register.ts';

/**
 * The old name redirects to the new one, as on GitHub, until another repository takes it. The folder of a bare repository
 * keeps its name on disk: a push in progress must not lose it.
 */
export function renameRepository(forge: Forge, row: RepositoryRow, name: string): void {
  if (name === row.name) return;
  if (name.toLowerCase() !== row.name.toLowerCase())
    checkNames(forge, row.owner, name, row.git_dir);
  forge.store.repositories.rename(row, name);
}

/** GitHub's redirect. 307 keeps the method and the body; with 301 clients would turn a POST into a GET. */
export function redirectToNewName(forge: Forge, c: ForgeContext, row: RepositoryRow): Response {
  const { pathname, search } = new URL(c.req.url);
  const rest = /\/repos\/[^/]+\/[^/]+(.*)$/.exec(pathname)?.[1] ?? '';
  const url = `${forge.urls.api}/repositories/${row.id}${rest}${search}`;
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  c.header('location', url);
  const message = isRead ? 'Moved Permanently' : 'Temporary Redirect';
  const documentation = 'https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api';
  return reply(c, { message, url, documentation_url: documentation }, isRead ? 301 : 307);
}

/** Serves `/repositories/ID/…` as `/repos/OWNER/NAME/…`: the only URL that stays valid after a rename. */
export function serveById(forge: Forge, app: Hono<Env>): void {
  app.all('/repositories/*', (c) => {
    const url = new URL(c.req.url);
    const [, before, id, rest] =
      /^(.*)\/repositories\/([1-9]\d{0,14})(\/.*)?$/.exec(url.pathname) ?? [];
    const row = forge.store.repositories.list().find((one) => one.id === Number(id));
    if (row === undefined) throw notFound();
    url.pathname = `${before ?? ''}/repos/${row.owner}/${row.name}${rest ?? ''}`;
    return app.fetch(new Request(url, c.req.raw), c.env);
  });
}
