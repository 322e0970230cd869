import { fail } from '@ship/protocol';
import { Hono } from 'hono';
import { type AuthRules, authenticate } from './auth/authenticate.ts';
import { type AssetSource, serveAsset } from './assets.ts';
import { type ApiEnv, type Endpoint, mount } from './endpoint.ts';
import { errorResponse } from './errors.ts';
import type { ModelGateway } from '../models/gateway/gateway.ts';
import { type HostRules, hostRulesFor, refuseForeignHosts } from './guard.ts';
import type { PortIngress } from './ports/ingress.ts';

export interface AppDeps {
  hosts: HostRules;
  assets: AssetSource;
  auth: AuthRules;
  endpoints: readonly Endpoint[];
  /** Sandboxes use it instead of a forge. */
  gitGateway?: (request: Request) => Promise<Response>;
  /** For sandboxes, which authenticate with a capability. */
  modelGateway: Pick<ModelGateway, 'handle'>;
  /** Handles requests to host names of sandbox ports, before everything else. */
  ports?: PortIngress;
}

/** All routes of the control plane. Rules live in core, state in the Durable Objects. */
export function createApp(deps: AppDeps): Hono<ApiEnv> {
  const { auth } = deps;
  const app = new Hono<ApiEnv>();
  app.onError((error) => errorResponse(error));
  app.use((c, next) => {
    const response = deps.ports?.(c.req.raw, (work) => c.executionCtx.waitUntil(work));
    return response ?? next();
  });
  app.use(refuseForeignHosts(hostRulesFor(auth.mode, deps.hosts)));
  app.all('/gateway/models/*', (c) =>
    deps.modelGateway.handle(c.req.raw, (work) => c.executionCtx.waitUntil(work)),
  );
  app.use('/api/*', authenticate(auth));

  mount(app, deps.endpoints);
  app.all('/api/*', (c) =>
    fail(
      'not-found',
      `There is no ${c.req.method} ${c.req.path}.`,
      'See /api/openapi.json for all routes.',
    ),
  );

  const { gitGateway } = deps;
  if (gitGateway !== undefined) app.all('/gateway/git/*', (c) => gitGateway(c.req.raw));

  app.on(['GET', 'HEAD'], '*', (c) => serveAsset(deps.assets, c.req.raw, deps.hosts));
  app.all('*', (c) =>
    fail(
      'method-not-allowed',
      `${c.req.method} is not allowed here.`,
      'Use GET for pages, and /api for commands.',
    ),
  );
  return app;
}
