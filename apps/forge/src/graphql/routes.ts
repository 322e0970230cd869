import { Hono } from 'hono';
import * as z from 'zod';
import type { Forge } from '../forge.ts';
import { readJson } from '../http/body.ts';
import type { Env } from '../http/context.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { reply } from '../http/respond.ts';

const request = z.object({
  query: z.string().min(1).max(100_000),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

export function graphqlRoutes(forge: Forge, rate: RateLimit): Hono<Env> {
  const app = new Hono<Env>();
  app.on('POST', ['/graphql', '/api/graphql'], async (c) => {
    const body = await readJson(c, 'GraphQL', request);
    // Imported on first use: few runs send GraphQL queries, and loading its 170 files would delay every start.
    const { executeGraphql } = await import('./execute.ts');
    return reply(c, await executeGraphql(forge, { actor: c.get('actor'), rate }, body));
  });
  return app;
}
