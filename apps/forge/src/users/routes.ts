import { Hono } from 'hono';
import type { Forge } from '../forge.ts';
import { type Env, textParam } from '../http/context.ts';
import { notFound } from '../http/errors.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { reply } from '../http/respond.ts';
import { privateUserJson } from './to-json.ts';

/** Users, rate limits and metadata. */
export function userRoutes(forge: Forge, rate: RateLimit): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/user', (c) => {
    c.header('x-oauth-scopes', c.get('actor').canWrite ? 'repo' : 'public_repo');
    return reply(c, privateUserJson(forge, c.get('actor').user));
  });
  app.get('/users/:login', (c) => {
    const user = forge.store.users.find(textParam(c, 'login'));
    if (user === undefined) throw notFound();
    return reply(c, privateUserJson(forge, user));
  });
  app.get('/rate_limit', (c) => {
    const numbers = rate.overview();
    return reply(c, {
      resources: { core: numbers, search: numbers, graphql: numbers },
      rate: numbers,
    });
  });
  app.get('/meta', (c) => reply(c, { verifiable_password_authentication: false }));
  return app;
}
