import { fail } from '@ship/protocol';
import { Hono } from 'hono';
import { type AuthRules, authenticate } from './auth/authenticate.ts';
import { type AssetSource, serveAsset } from './assets.ts';
import { type ApiEnv, type Endpoint, mount } from './endpoint.ts';
import { errorResponse } from './errors.ts';
import type { ModelGateway } from '../models/gateway/gateway.ts';
import { type HostRules, refuseForeignHosts, within } from './guard.ts';
import type { PortDoor } from './ports/door.ts';

export interface AppParts {
  hosts: HostRules;
  assets: AssetSource;
  auth: AuthRules;
  endpoints: readonly Endpoint[];
  /** What a sandbox uses instead of a forge. */
  gitGateway?: (request: Request) => Promise<Response>;
  /** For sandboxes, which have a capability and no login. */
  modelGateway: Pick<ModelGateway, 'handle'>;
  /** Whatever is asked of a sandbox's own name; it comes before all else. */
  ports?: PortDoor;
}

/** All routes of the control plane: parse, call, encode. Rules live in core, state in the objects. */
export function createApp(parts: AppParts): Hono<ApiEnv> {
  const { auth } = parts;
  const app = new Hono<ApiEnv>();
  app.onError((error) => errorResponse(error));
  app.use((c, next) => {
    const answer = parts.ports?.(c.req.raw, (work) => c.executionCtx.waitUntil(work));
    return answer ?? next();
  });
  app.use(refuseForeignHosts(within(auth.mode, parts.hosts)));
  app.all('/gateway/models/*', (c) =>
    parts.modelGateway.handle(c.req.raw, (work) => c.executionCtx.waitUntil(work)),
  );
  app.use('/api/*', authenticate(auth));

  mount(app, parts.endpoints);
  app.all('/api/*', (c) =>
    fail(
      'not-found',
      `There is no ${c.req.method} ${c.req.path}.`,
      'See /api/openapi.json for what there is.',
    ),
  );

  const { gitGateway } = parts;
  if (gitGateway !== undefined) app.all('/gateway/git/*', (c) => gitGateway(c.req.raw));

  app.on(['GET', 'HEAD'], '*', (c) => serveAsset(parts.assets, c.req.raw, parts.hosts));
  app.all('*', (c) =>
    fail(
      'method-not-allowed',
      `${c.req.method} is not possible here.`,
      'Use GET for pages, and /api for commands.',
    ),
  );
  return app;
}
