import type { Hono } from 'hono';
import type * as z from 'zod';
import type { Caller } from './auth/caller.ts';
import { parse, readJson } from './input.ts';

/** What the middleware in front of the routes leaves for them. */
export interface ApiEnv {
  Variables: { caller: Caller };
}

interface Input<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  request: Request;
  caller: Caller;
  /** Of the answer. Made when they are asked for: hardly any route has something to say in them. */
  headers: () => Headers;
}

interface Definition<Params, Query, Body, Answer> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Under `/api`, with parameters as OpenAPI writes them: `/tokens/{tokenId}`. */
  path: string;
  summary: string;
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Null when there is nothing to say: 204. */
  answer: z.ZodType<Answer> | null;
  status?: 101 | 200 | 201;
  handle: (input: Input<Params, Query, Body>) => Promise<Answer | Response>;
}

/** One route: its contract for the document, and what it does. */
export interface Endpoint extends Omit<Definition<unknown, unknown, unknown, unknown>, 'handle'> {
  run: (request: Request, params: Record<string, string>, caller: Caller) => Promise<Response>;
}

/** Made once: an answer copies it, which costs less than reading a literal each time. */
export const NOT_KEPT = new Headers({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});

/** Parse, call, encode. Without a schema for the query or the body, none is looked at. */
export function endpoint<Answer, Params = undefined, Query = undefined, Body = undefined>({
  handle,
  ...contract
}: Definition<Params, Query, Body, Answer>): Endpoint {
  return {
    ...contract,
    async run(request, params, caller) {
      let headers: Headers | undefined;
      const answer = await handle({
        params: parse(contract.params, params, 'path') as Params,
        query: (contract.query === undefined
          ? undefined
          : parse(contract.query, queryOf(request), 'query')) as Query,
        body: (contract.body === undefined
          ? undefined
          : parse(contract.body, await readJson(request), 'body')) as Body,
        request,
        caller,
        headers: () => (headers ??= new Headers(NOT_KEPT)),
      });
      if (answer instanceof Response) return answer;
      const init = { headers: headers ?? NOT_KEPT };
      if (headers !== undefined && isKnown(request, headers))
        return new Response(null, { status: 304, ...init });
      if (contract.answer === null) return new Response(null, { status: 204, ...init });
      return Response.json(answer, { status: contract.status ?? 200, ...init });
    },
  };
}

function isKnown(request: Request, headers: Headers): boolean {
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
