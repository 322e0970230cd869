import { type SessionId, type ShipError, ShipFailure, fail, shipError } from '@ship/protocol';
import { log } from '../../platform/log.ts';
import type { Credential } from '../../platform/credential.ts';
import { unwrap } from '../../platform/result.ts';
import type { SessionStub } from '../../session/session-object.ts';
import { COOKIE_LIFE_MS } from '../../session/ports/passes.ts';
import { requestOriginOf } from '../request-origin.ts';
import type { HostRules } from '../guard.ts';
import { passesOf, setCookie } from './cookie.ts';
import { refuseCrossOrigin } from './cross-origin.ts';
import {
  type PortHost,
  framingOrigins,
  isAnotherSite,
  portOrigin,
  readPortHost,
} from './host-name.ts';
import { respondWithPage, errorPageOf } from './pages.ts';
import { proxyRequest } from './proxy.ts';

/** Reserved on every port's host: exchanges a ticket for the cookie. */
export const ENTER_PATH = '/__ship/enter';

interface PortIngressDeps {
  hosts: HostRules;
  session: (sessionId: SessionId) => SessionStub;
  endedCredentials: (credentials: Credential[]) => Promise<Credential[]>;
}

export type PortIngress = (
  request: Request,
  waitUntil: (work: Promise<unknown>) => void,
) => Promise<Response> | undefined;

/**
 * Handles all requests to hosts `PORT-ID.<preview host>`, and returns undefined for others. These hosts belong to sandboxes:
 * no route or file of Ship is ever served there.
 */
export function createPortIngress({
  hosts,
  session,
  endedCredentials,
}: PortIngressDeps): PortIngress {
  return (request, waitUntil) => {
    const url = requestOriginOf(request.url);
    const portHost = readPortHost(url.hostname, hosts);
    if (portHost === undefined) return undefined;
    const embedders = framingOrigins(portHost, url, hosts);
    const stub = () => session(portHost.sessionId);
    const portRequest = { portHost, hosts, embedders, stub, endedCredentials, waitUntil };
    return handle(request, portRequest).catch((thrown: unknown) =>
      respondWithPage(request, errorPageOf(errorOf(thrown)), embedders),
    );
  };
}

interface PortRequest {
  portHost: PortHost;
  hosts: HostRules;
  embedders: readonly string[];
  /** Lazy: guessing host names must not create Durable Objects of sessions that do not exist. */
  stub: () => SessionStub;
  endedCredentials: PortIngressDeps['endedCredentials'];
  waitUntil: (work: Promise<unknown>) => void;
}

async function handle(request: Request, portRequest: PortRequest): Promise<Response> {
  const { portHost, hosts, embedders, stub, endedCredentials, waitUntil } = portRequest;
  const url = new URL(request.url);
  if (hosts.previewHost !== undefined && portHost.base !== hosts.previewHost)
    return redirectToPreviewHost(request, url, portRequest);
  if (url.pathname === ENTER_PATH) return enter(request, portRequest);
  refuseCrossOrigin(request);
  const passes = passesOf(request);
  if (passes.length === 0)
    fail(
      'unauthenticated',
      'This browser has no access to this port.',
      'Open the port from its session in Ship.',
    );
  const { address, credentials } = unwrap(await stub().openPort(portHost.port, passes));
  const isAllowed = async () => (await endedCredentials(credentials)).length === 0;
  const access = credentials.length === 0 ? undefined : { isAllowed, waitUntil };
  const onGone = () => waitUntil(stub().sandbox('look'));
  const isAnother = isAnotherSite(portHost, url, hosts);
  return proxyRequest(request, {
    portHost,
    address,
    embedders,
    isAnotherSite: isAnother,
    onGone,
    access,
  });
}

/** Ports used to be below the app's host: redirects old bookmarks and serves nothing of a sandbox there. */
function redirectToPreviewHost(
  request: Request,
  url: URL,
  { portHost, hosts }: PortRequest,
): Response {
  const origin = portOrigin(url, portHost, hosts);
  if (origin === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
    return fail(
      'not-found',
      'Ports have moved to another host.',
      'Open the port from its session in Ship.',
    );
  return new Response(null, {
    status: 308,
    headers: { location: `${origin}${url.pathname}${url.search}`, 'cache-control': 'no-store' },
  });
}

async function enter(request: Request, { portHost, hosts, stub }: PortRequest): Promise<Response> {
  const url = new URL(request.url);
  const ticket = url.searchParams.get('ticket') ?? '';
  if (request.method !== 'GET' || !/^[A-Za-z0-9_-]{43}$/.test(ticket))
    fail('forbidden', 'This link has no ticket.', 'Open the port from its session in Ship.');
  const cookie = unwrap(await stub().redeemPortTicket(portHost.port, ticket));
  return new Response(null, {
    status: 302,
    headers: {
      location: startPath(url),
      'set-cookie': setCookie(url, cookie, {
        maxAgeMs: COOKIE_LIFE_MS,
        isAnotherSite: isAnotherSite(portHost, url, hosts),
      }),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  });
}

/** The target path on this host: prevents an open redirect from a trusted host. */
function startPath(url: URL): string {
  const to = url.searchParams.get('to') ?? '/';
  if (!to.startsWith('/') || !URL.canParse(to, url.origin)) return '/';
  const target = new URL(to, url.origin);
  // Dot segments may leave two leading slashes (`/..//host`), which would name another host.
  const path = target.pathname.replace(/^\/+/, '/');
  return target.origin === url.origin ? `${path}${target.search}${target.hash}` : '/';
}

function errorOf(thrown: unknown): ShipError {
  if (thrown instanceof ShipFailure) return thrown.error;
  log('error', 'port.unexpected', { error: String(thrown) });
  return shipError(
    'internal',
    'An unexpected error occurred.',
    'Reload the page; if it happens again, check the log of `ship up`.',
  );
}
