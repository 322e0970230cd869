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
    // With the first question: few runs ask any, and every start would wait for a hundred and seventy files.
    const { answerGraphql } = await import('./answer.ts');
    return reply(c, await answerGraphql(forge, { actor: c.get('actor'), rate }, body));
  });
  return app;
}
