import type { Hono } from 'hono';
import type * as z from 'zod';
import type { Caller } from './auth/caller.ts';
import { parse, readJson } from './input.ts';

/** Variables that the middleware sets for the routes. */
export interface ApiEnv {
  Variables: { caller: Caller };
}

interface Input<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  request: Request;
  caller: Caller;
  /** Response headers, created on first use because few routes need them. */
  headers: () => Headers;
}

interface Definition<Params, Query, Body, Output> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api`, with parameters in OpenAPI's notation: `/tokens/{tokenId}`. */
  path: string;
  summary: string;
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Null for an empty response (204). */
  response: z.ZodType<Output> | null;
  status?: 101 | 200 | 201;
  handle: (input: Input<Params, Query, Body>) => Promise<Output | Response>;
}

/** A route: its contract for the OpenAPI document, and its handler. */
export interface Endpoint extends Omit<Definition<unknown, unknown, unknown, unknown>, 'handle'> {
  run: (request: Request, params: Record<string, string>, caller: Caller) => Promise<Response>;
}

/** Created once: copying it costs less than parsing a literal for each response. */
export const NO_STORE_HEADERS = new Headers({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});

/** Parses the request, calls the handler, encodes the response. Query and body are read only with a schema. */
export function endpoint<Output, Params = undefined, Query = undefined, Body = undefined>({
  handle,
  ...contract
}: Definition<Params, Query, Body, Output>): Endpoint {
  return {
    ...contract,
    async run(request, params, caller) {
      let headers: Headers | undefined;
      const output = await handle({
        params: parse(contract.params, params, 'path') as Params,
        query: (contract.query === undefined
          ? undefined
          : parse(contract.query, queryOf(request), 'query')) as Query,
        body: (contract.body === undefined
          ? undefined
          : parse(contract.body, await readJson(request), 'body')) as Body,
        request,
        caller,
        headers: () => (headers ??= new Headers(NO_STORE_HEADERS)),
      });
      if (output instanceof Response) return output;
      const init = { headers: headers ?? NO_STORE_HEADERS };
      if (headers !== undefined && isNotModified(request, headers))
        return new Response(null, { status: 304, ...init });
      if (contract.response === null) return new Response(null, { status: 204, ...init });
      return Response.json(output, { status: contract.status ?? 200, ...init });
    },
  };
}

function isNotModified(request: Request, headers: Headers): boolean {
  const etag = headers.get('etag');
  return etag !== null && request.method === 'GET' && request.headers.get('if-none-match') === etag;
}

const queryOf = (request: Request) => Object.fromEntries(new URL(request.url).searchParams);

export function mount(app: Hono<ApiEnv>, endpoints: readonly Endpoint[]): void {
  for (const { method, path, run } of endpoints) {
    const pattern = `/api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    app.on(method.toUpperCase(), pattern, (c) => run(c.req.raw, c.req.param(), c.get('caller')));
  }
}
