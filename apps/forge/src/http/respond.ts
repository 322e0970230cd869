import { createHash } from 'node:crypto';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ForgeContext } from './context.ts';
import type { Forge } from '../forge.ts';
import { linkHeader, type Page, parsePage, type Slice, slice } from './paging.ts';

const json = 'application/json; charset=utf-8';

/** JSON with an ETag: polling clients get 304 while nothing changed. */
export function reply(
  c: ForgeContext,
  body: unknown,
  status: ContentfulStatusCode = 200,
): Response {
  const text = JSON.stringify(body);
  if (c.req.method !== 'GET' || status !== 200)
    return c.body(text, status, { 'content-type': json });
  const etag = `W/"${createHash('sha256').update(text).digest('hex').slice(0, 40)}"`;
  const headers = { etag, 'cache-control': 'private, max-age=0, must-revalidate' };
  const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim());
  if (known.some((tag) => tag.replace(/^W\//, '') === etag.slice(2)))
    return c.body(null, 304, headers);
  return c.body(text, 200, { ...headers, 'content-type': json });
}

export function plain(c: ForgeContext, body: string | Buffer, type: string): Response {
  const content = typeof body === 'string' ? body : new Uint8Array(body);
  // Browsers must never run repository content as a page of this origin.
  return c.body(content, 200, { 'content-type': type, 'x-content-type-options': 'nosniff' });
}

export function noContent(c: ForgeContext): Response {
  return c.body(null, 204);
}

export function queryOf(c: ForgeContext): URLSearchParams {
  return new URL(c.req.url).searchParams;
}

export function pageOf(c: ForgeContext): Page {
  return parsePage(queryOf(c));
}

/** Sets the Link header. Its URLs use the forge's configured address, never the client's Host header. */
export function setLinks(c: ForgeContext, forge: Forge, more: boolean, last?: number): void {
  const { pathname, search } = new URL(c.req.url);
  const link = linkHeader(
    `${new URL(forge.urls.api).origin}${pathname}${search}`,
    pageOf(c),
    more,
    last,
  );
  if (link !== undefined) c.header('link', link);
}

/** One page of a list in memory. */
export function pageOfList<T>(c: ForgeContext, forge: Forge, all: readonly T[]): Slice<T> {
  const current = slice(all, pageOf(c));
  setLinks(c, forge, current.more, current.last);
  return current;
}

export function replyList<T>(
  c: ForgeContext,
  forge: Forge,
  all: readonly T[],
  toJson: (item: T) => unknown,
): Response {
  return reply(c, pageOfList(c, forge, all).items.map(toJson));
}
