import { fail } from '@ship/protocol';
import { Hono } from 'hono';
import { type AssetSource, serveAsset } from './assets.ts';
import { errorResponse } from './errors.ts';
import { type HostRules, refuseForeignHosts } from './guard.ts';
import { type HealthSources, readHealth } from './health.ts';

export interface AppParts extends HealthSources {
  hosts: HostRules;
  assets: AssetSource;
}

/** All routes of the control plane: parse, call, encode. Rules live in core, state in the objects. */
export function createApp(parts: AppParts): Hono {
  const app = new Hono();
  app.onError((error) => errorResponse(error));
  app.use(refuseForeignHosts(parts.hosts));

  app.get('/api/health', async (c) => {
    c.header('cache-control', 'no-store');
    return c.json(await readHealth(parts));
  });
  app.all('/api/*', (c) =>
    fail(
      'not-found',
      `There is no ${c.req.method} ${c.req.path}.`,
      'See /api/openapi.json for what there is.',
    ),
  );

  app.on(['GET', 'HEAD'], '*', (c) => serveAsset(parts.assets, c.req.raw));
  app.all('*', (c) =>
    fail(
      'method-not-allowed',
      `${c.req.method} is not possible here.`,
      'Use GET for pages, and /api for commands.',
    ),
  );
  return app;
}
