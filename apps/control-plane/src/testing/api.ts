/** The whole API in front of a fresh workspace, composed as in the Worker, for tests in workerd. */
import { env } from 'cloudflare:test';
import { type SessionId, SignInLink } from '@ship/protocol';
import { artifactStore } from '../artifacts/index.ts';
import { type ApiDeps, apiEndpoints } from '../http/api.ts';
import { createApp } from '../http/app.ts';
import { authRules } from '../http/auth/authenticate.ts';
import { accessControlOf } from '../http/auth/access-control.ts';
import { sandboxEgressLog } from '../sandbox/egress-log.ts';
import { sandboxConnector } from '../sandbox/connect.ts';
import { sandboxServices } from '../sandbox/services.ts';
import { allowedHosts, hostRulesFor } from '../http/guard.ts';
import { createPortIngress } from '../http/ports/ingress.ts';
import { type GatewayEnv, modelParts } from '../models/index.ts';
import { type WorkspaceStub, newWorkspace } from './workspace.ts';

export const LOCAL_TOKEN = '9c41d07e5d1e-for-tests';
export const ORIGIN = 'http://ship.localhost:4400';

const session = (sessionId: SessionId) => env.SESSIONS.get(env.SESSIONS.idFromName(sessionId));

interface Options {
  stub?: WorkspaceStub;
  mode?: string | null;
  localToken?: string | null;
  ownerToken?: string | null;
  hosts?: string;
  previewHost?: string | null;
  modelsEnv?: GatewayEnv;
  hooks?: ApiDeps['hooks'];
  forges?: ApiDeps['forges'];
  sandboxes?: ApiDeps['sandboxes'];
  host?: ApiDeps['host'];
}

export function testApi({
  stub = newWorkspace(),
  mode = 'local',
  localToken = LOCAL_TOKEN,
  ownerToken = null,
  hosts = 'ship.localhost,localhost,127.0.0.1,[::1]',
  previewHost = 'ship-preview.localhost',
  modelsEnv = {},
  hooks = { secret: null, bindings: {} },
  forges = { bindings: {} },
  sandboxes = sandboxServices({}),
  host,
}: Options = {}) {
  const workspace = () => stub;
  const models = modelParts(modelsEnv, workspace, () => {
    throw new Error('no session here');
  });
  const auth = authRules(mode, { localToken, ownerToken }, accessControlOf(workspace));
  const rules = hostRulesFor(auth.mode, allowedHosts(hosts, previewHost));
  const endpoints = apiEndpoints({
    version: '1.2.3',
    auth,
    hosts: rules,
    host,
    workspace,
    session,
    // One per workspace.
    warmPool: () => env.RESERVES.get(env.RESERVES.idFromName(stub.id.toString())),
    artifacts: artifactStore(env.ARTIFACTS),
    openSandbox: sandboxConnector({}),
    egressLog: sandboxEgressLog({}),
    sandboxes,
    waitUntil: () => undefined,
    models,
    forges,
    hooks,
  });
  const app = createApp({
    hosts: rules,
    ports: createPortIngress({
      hosts: rules,
      session,
      endedCredentials: (credentials) => stub.endedCredentials(credentials),
    }),
    assets: {
      fetch: async (url) =>
        (url instanceof Request ? url.url : url).endsWith('/index.html')
          ? new Response('<!doctype html>')
          : new Response('0'),
    },
    auth,
    endpoints,
    modelGateway: models.gateway,
  });
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    app.request(path.startsWith('http') ? path : `${ORIGIN}${path}`, init);
  /** Requests like the CLI's. */
  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    ask(path, {
      method,
      headers: {
        authorization: `Bearer ${LOCAL_TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  /** Redeems a sign-in link as a browser does. The response sets its cookie. */
  const redeem = (code: string, origin = ORIGIN) =>
    ask(`${origin}/api/sign-in`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
  const newCode = async (headers: Record<string, string> = {}) => {
    const answer = await call('POST', '/api/sign-in/links', undefined, headers);
    return SignInLink.parse(await answer.json()).code;
  };
  /** Returns the cookie header of a signed-in browser. */
  const signIn = async (origin = ORIGIN) => {
    const answer = await redeem(await newCode(), origin);
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };
  return { stub, endpoints, ask, call, newCode, redeem, signIn };
}

/** A concrete path for each route, with ids that do not exist. */
export function concretePath(path: string): string {
  const ids: Record<string, string> = {
    cardId: `crd_${'0'.repeat(26)}`,
    repositoryId: `rep_${'0'.repeat(26)}`,
    tokenId: `tok_${'0'.repeat(26)}`,
    sessionId: `ses_${'0'.repeat(26)}`,
    askId: 'ask_1',
    promptId: `prm_${'0'.repeat(26)}`,
    name: 'KEY',
    port: '3000',
    providerId: 'none',
  };
  return `/api${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)}`;
}
