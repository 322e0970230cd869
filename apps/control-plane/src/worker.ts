/**
 * The composition root: it reads `env` and hands each part what that part needs and nothing more. Objects get `env` from
 * the platform; each names the little that it reads (`WorkspaceEnv`).
 */
import pkg from '../package.json' with { type: 'json' };
import { apiEndpoints } from './http/api.ts';
import { createApp } from './http/app.ts';
import { authRules } from './http/auth/authenticate.ts';
import { allowedHosts } from './http/guard.ts';
import { type GatewayEnv, modelParts } from './models/index.ts';
import { type PurseObject, purseOf } from './models/purse/port.ts';
import type { SessionAgent } from './session/session-agent.ts';
import type { Workspace, WorkspaceEnv } from './workspace/workspace.ts';

export { SessionAgent } from './session/session-agent.ts';
export { Workspace } from './workspace/workspace.ts';

export interface Env extends WorkspaceEnv, GatewayEnv {
  SESSIONS: DurableObjectNamespace<SessionAgent>;
  WORKSPACES: DurableObjectNamespace<Workspace>;
  /** The built page: workerd's disk service on one machine, Workers assets in the cloud. */
  ASSETS: Fetcher;
  /** The supervising host process, on one machine only. */
  HOST?: Fetcher;
  /** Comma-separated host names under which the page may be opened. */
  ALLOWED_HOSTS: string;
  /** `local`: one user on loopback. `team`: everybody needs an API token. Anything else lets nobody in. */
  AUTH_MODE?: string | null;
  /** The one user's token, from the data folder; local mode only. */
  LOCAL_TOKEN?: string | null;
  /** What the first API token is made with; team mode only. */
  OWNER_TOKEN?: string | null;
}

/** Every installation has one workspace for now; teams get their own by name. */
const DEFAULT_WORKSPACE = 'default';

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    return appOf(env).fetch(request, undefined, ctx);
  },
} satisfies ExportedHandler<Env>;

/** Built once per environment, not per request: its routes are the same for all. */
const apps = new WeakMap<Env, ReturnType<typeof createApp>>();

function appOf(env: Env): ReturnType<typeof createApp> {
  const known = apps.get(env);
  if (known !== undefined) return known;
  // A stub belongs to the request that makes it: hence a function.
  const workspace = () => env.WORKSPACES.get(env.WORKSPACES.idFromName(DEFAULT_WORKSPACE));
  const tokens = { localToken: env.LOCAL_TOKEN, ownerToken: env.OWNER_TOKEN };
  const models = modelParts(env, workspace, (sessionId) => {
    const session: unknown = env.SESSIONS.get(env.SESSIONS.idFromName(sessionId));
    // The session's object has these two methods beside its own.
    return purseOf(session as PurseObject);
  });
  const app = createApp({
    hosts: allowedHosts(env.ALLOWED_HOSTS),
    assets: env.ASSETS,
    auth: authRules(env.AUTH_MODE, tokens, (value) => workspace().verifyToken(value)),
    endpoints: apiEndpoints({ version: pkg.version, host: env.HOST, workspace, models }),
    modelGateway: models.gateway,
  });
  apps.set(env, app);
  return app;
}
