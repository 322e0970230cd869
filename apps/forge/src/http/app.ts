import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { randomUUID } from 'node:crypto';
import { commitRoutes } from '../commits/routes.ts';
import { gitDataRoutes } from '../contents/git-data-routes.ts';
import { contentRoutes } from '../contents/routes.ts';
import { contentWriteRoutes } from '../contents/write-routes.ts';
import type { Forge } from '../forge.ts';
import { GitError } from '../git/run.ts';
import { graphqlRoutes } from '../graphql/routes.ts';
import { commentRoutes } from '../issues/comment-routes.ts';
import { labelRoutes } from '../issues/label-routes.ts';
import { issueRoutes } from '../issues/routes.ts';
import { pullRoutes } from '../pulls/routes.ts';
import { reviewCommentRoutes } from '../pulls/review-comment-routes.ts';
import { reviewRoutes } from '../pulls/review-routes.ts';
import { protectionRoutes } from '../protection/routes.ts';
import { branchRoutes, refRoutes } from '../refs/routes.ts';
import { redirectToNewName, serveById } from '../repositories/rename.ts';
import { discover } from '../repositories/register.ts';
import { repositoryListRoutes, repositoryRoutes, requireVisible } from '../repositories/routes.ts';
import { checkRunRoutes } from '../statuses/check-run-routes.ts';
import { statusRoutes } from '../statuses/routes.ts';
import { userRoutes } from '../users/routes.ts';
import type { Env } from './context.ts';
import { ApiError, notFound } from './errors.ts';
import { RateLimit } from './rate-limit.ts';

export function createApp(forge: Forge): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  const rate = new RateLimit(forge.now);
  app.use(async (c, next) => {
    rate.count();
    const numbers = rate.overview();
    c.header('x-github-request-id', randomUUID());
    c.header('x-github-media-type', 'github.v3; format=json');
    c.header('x-ratelimit-resource', c.req.path.endsWith('/graphql') ? 'graphql' : 'core');
    for (const [name, value] of Object.entries(numbers))
      c.header(`x-ratelimit-${name}`, String(value));
    c.set('actor', forge.authenticator.identify(c.req.header('authorization')));
    await next();
  });
  app.onError((error, c) => {
    const known = error instanceof ApiError ? error : undefined;
    if (known === undefined) forge.log(describe(error));
    const body = known?.body ?? new ApiError(500, 'Internal error').body;
    if (known?.status === 413) c.header('connection', 'close');
    return c.json(body, (known?.status ?? 500) as ContentfulStatusCode);
  });
  app.notFound((c) => c.json(notFound().body, 404));
  const base = '/repos/:owner/:repo';
  for (const path of [base, `${base}/*`])
    app.use(path, async (c, next) => {
      const [owner, name] = [c.req.param('owner') ?? '', c.req.param('repo') ?? ''];
      const row = await discover(forge, owner, name);
      const renamed =
        row === undefined ? forge.store.repositories.findByFormerName(owner, name) : undefined;
      if (renamed !== undefined) return redirectToNewName(forge, c, requireVisible(renamed, c));
      c.set('repository', requireVisible(row, c));
      await next();
    });
  serveById(forge, app);
  app.route('/', userRoutes(forge, rate));
  app.route('/', repositoryListRoutes(forge));
  app.route('/', graphqlRoutes(forge, rate));
  for (const routes of [
    repositoryRoutes,
    protectionRoutes,
    branchRoutes,
    refRoutes,
    statusRoutes,
    checkRunRoutes,
    commitRoutes,
    gitDataRoutes,
    contentRoutes,
    contentWriteRoutes,
    reviewCommentRoutes,
    reviewRoutes,
    pullRoutes,
    commentRoutes,
    labelRoutes,
    issueRoutes,
  ])
    app.route(base, routes(forge));
  return app;
}

function describe(error: Error): string {
  return error instanceof GitError ? `git: ${error.message}` : (error.stack ?? error.message);
}
