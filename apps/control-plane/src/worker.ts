/**
 * The composition root: reads `env` and gives each component only the dependencies that it needs. Durable Objects get `env`
 * from the platform; each declares the variables that it reads (`WorkspaceEnv`).
 */
import { unwrap } from './platform/result.ts';
import { env as bindings, waitUntil } from 'cloudflare:workers';
import type { SessionId } from '@ship/protocol';
import pkg from '../package.json' with { type: 'json' };
import { artifactStore } from './artifacts/index.ts';
import type { EnvironmentBindings } from './environment.ts';
import { createGitGateway } from './git/gateway/index.ts';
import type { ForgeBindings } from './git/index.ts';
import { apiEndpoints } from './http/api.ts';
import { createApp } from './http/app.ts';
import { authRules } from './http/auth/authenticate.ts';
import { accessControlOf } from './http/auth/access-control.ts';
import { guardSupervisor } from './sandbox/client.ts';
import { sandboxEgressLog } from './sandbox/egress-log.ts';
import { refusalSource } from './sandbox/refusals.ts';
import { sandboxConnector } from './sandbox/connect.ts';
import { allowedHosts, hostRulesFor } from './http/guard.ts';
import { type DestinationServices, destinationRoutes } from './destinations.ts';
import { installOutbound } from './platform/outbound.ts';
import { createPortIngress } from './http/ports/ingress.ts';
import type { WarmPoolDeps } from './warm-pool/deps.ts';
import { WarmPoolObject } from './warm-pool/warm-pool-object.ts';
import { sandboxServices } from './sandbox/services.ts';
import { editorHost } from './session/editor/host.ts';
import type { SessionParts } from './session/parts.ts';
import { SessionObject } from './session/session-object.ts';
import { workshopParts } from './session/workshop/compose.ts';
import { workspacePort } from './session/workspace-port.ts';
import { type ModelParts, modelParts } from './models/index.ts';
import { budgetOf } from './models/budget/port.ts';
import type { Workspace, WorkspaceEnv } from './workspace/workspace.ts';

export { Workspace } from './workspace/workspace.ts';

export interface Env extends WorkspaceEnv, EnvironmentBindings, DestinationServices {
  SESSIONS: DurableObjectNamespace<SessionAgent>;
  WORKSPACES: DurableObjectNamespace<Workspace>;
  RESERVES: DurableObjectNamespace<Reserve>;
  /** The built web app: workerd's disk service on one machine, Workers assets in the cloud. */
  ASSETS: Fetcher;
  /** Large outputs; wrapped by `artifactStore`. */
  ARTIFACTS: R2Bucket | Fetcher;
  /** The supervising host process, on one machine only. */
  HOST?: Fetcher;
  /** Comma-separated host names of the web app. */
  ALLOWED_HOSTS: string;
  /** The parent domain of sandbox ports; default: the web app's host. */
  PREVIEW_HOST?: string | null;
  /** `local`: one user on loopback. `team`: every caller needs an API token. Any other value rejects everyone. */
  AUTH_MODE?: string | null;
  /** The local user's token from the data folder; local mode only. */
  LOCAL_TOKEN?: string | null;
  /** Creates the first API token; team mode only. */
  OWNER_TOKEN?: string | null;
}

// The module-level `env` has the tests' type; at run time it is the same value that handlers get.
const destinations = bindings as EnvironmentBindings & DestinationServices;
installOutbound({
  routes: destinationRoutes(destinations),
  operatorNetwork: destinations.OPERATOR_NETWORK,
  guard: guardSupervisor,
});

/** Each deployment has one workspace. */
const DEFAULT_WORKSPACE = 'default';

// Functions, because a stub may only be used in the request that created it.
const workspaceOf = (env: Env) => env.WORKSPACES.getByName(DEFAULT_WORKSPACE);

const warmPoolOf = (env: Env) => env.RESERVES.getByName(DEFAULT_WORKSPACE);

const sessionOf = (env: Env, sessionId: SessionId) => env.SESSIONS.getByName(sessionId);

/** One instance per environment, because it caches provider probes. */
const modelCache = new WeakMap<Env, ModelParts>();

function modelsOf(env: Env): ModelParts {
  const known = modelCache.get(env);
  if (known !== undefined) return known;
  const budget = (sessionId: SessionId) => budgetOf(sessionOf(env, sessionId));
  const models = modelParts(env, () => workspaceOf(env), budget);
  modelCache.set(env, models);
  return models;
}

/** Includes the token from the settings, read from the workspace for each use and never cached here. */
const forgesOf = (env: Env): ForgeBindings => ({
  ...env,
  storedToken: async (url) => unwrap(await workspaceOf(env).openForgeToken(url))?.token ?? null,
});

const workshopOf = (env: Env) =>
  workshopParts({
    env,
    forges: forgesOf(env),
    models: modelsOf(env),
    workspace: () => workspaceOf(env),
  });

export class SessionAgent extends SessionObject<Env> {
  protected override parts(env: Env): SessionParts {
    return {
      workspace: workspacePort(() => workspaceOf(env)),
      sandboxes: sandboxServices(env),
      refusals: refusalSource(env),
      reserve: { settle: (sessionId) => warmPoolOf(env).settle(sessionId) },
      artifacts: artifactStore(env.ARTIFACTS),
      workshop: workshopOf(env),
      editorHost: editorHost(env.HOST),
    };
  }
}

export class Reserve extends WarmPoolObject<Env> {
  protected override deps(env: Env): WarmPoolDeps {
    const { chooser } = modelsOf(env);
    return {
      settings: () => workspacePort(() => workspaceOf(env)).settings(),
      // Having no model is not an error: the pool stays empty.
      defaultModel: ({ defaultModel }) => chooser.choose(null, defaultModel).catch(() => null),
      sandboxes: sandboxServices(env),
      agent: workshopOf(env),
      isBusy: async () => unwrap(await workspaceOf(env).isAnyWorking()),
      hasSession: async (sessionId) => (await sessionOf(env, sessionId).view()).ok,
    };
  }
}

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    return appOf(env).fetch(request, undefined, ctx);
  },
} satisfies ExportedHandler<Env>;

/** One app per environment instead of per request. */
const apps = new WeakMap<Env, ReturnType<typeof createApp>>();

function appOf(env: Env): ReturnType<typeof createApp> {
  const known = apps.get(env);
  if (known !== undefined) return known;
  const workspace = () => workspaceOf(env);
  const tokens = { localToken: env.LOCAL_TOKEN, ownerToken: env.OWNER_TOKEN };
  const session = (sessionId: SessionId) => sessionOf(env, sessionId);
  const models = modelsOf(env);
  const forges = forgesOf(env);
  const auth = authRules(env.AUTH_MODE, tokens, accessControlOf(workspace));
  const hosts = hostRulesFor(auth.mode, allowedHosts(env.ALLOWED_HOSTS, env.PREVIEW_HOST));
  const app = createApp({
    hosts,
    assets: env.ASSETS,
    auth,
    ports: createPortIngress({
      hosts,
      session,
      endedCredentials: (credentials) => workspace().endedCredentials(credentials),
    }),
    modelGateway: models.gateway,
    gitGateway: createGitGateway({
      secret: env.GATEWAY_SECRET || null,
      bindings: forges,
      mayUse: (sessionId, bearer, use) => session(sessionId).mayUseGit(bearer, use),
      pushLedger: {
        take: (sessionId, bytes, limit) => session(sessionId).takePushBytes(bytes, limit),
        giveBack: (sessionId, bytes) => session(sessionId).returnPushBytes(bytes),
      },
    }),
    endpoints: apiEndpoints({
      version: pkg.version,
      auth,
      hosts,
      host: env.HOST,
      workspace,
      warmPool: () => warmPoolOf(env),
      session,
      artifacts: artifactStore(env.ARTIFACTS),
      openSandbox: sandboxConnector(env),
      egressLog: sandboxEgressLog(env),
      sandboxes: sandboxServices(env),
      waitUntil,
      models,
      forges: { bindings: forges },
      hooks: { secret: env.GITHUB_WEBHOOK_SECRET || null, bindings: forges },
    }),
  });
  apps.set(env, app);
  return app;
}
