import { sandboxCookie, withoutShipCookies } from './cookie.ts';

/** Hop-by-hop headers, which a proxy must not forward. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Response headers about the host, site or network, which a sandbox must not set. */
const FORBIDDEN_RESPONSE_HEADERS = [
  'alt-svc',
  // Applies to the whole site: other sandboxes' hosts and perhaps the app's.
  'clear-site-data',
  'nel',
  'report-to',
  'reporting-endpoints',
  'x-frame-options',
];

function withoutHopByHop(from: Headers): Headers {
  const headers = new Headers(from);
  const named = (from.get('connection') ?? '').split(',').map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...named]) if (isToken(name)) headers.delete(name);
  return headers;
}

const isToken = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** Request headers for the program in the sandbox: without Ship's cookies, with the host that the browser sees. */
export function requestHeaders(request: Request, address: Record<string, string>): Headers {
  const url = new URL(request.url);
  const headers = withoutHopByHop(request.headers);
  // The page must not select another sandbox or port, or reach the sandbox's supervisor.
  for (const name of request.headers.keys()) if (/^(e2b-|cf-)/.test(name)) headers.delete(name);
  for (const name of ['host', 'x-forwarded-for', 'x-real-ip', 'forwarded']) headers.delete(name);
  const cookie = withoutShipCookies(headers.get('cookie'));
  if (cookie === null) headers.delete('cookie');
  else headers.set('cookie', cookie);
  headers.set('x-forwarded-host', url.host);
  headers.set('x-forwarded-proto', url.protocol.slice(0, -1));
  for (const [name, value] of Object.entries(address)) headers.set(name, value);
  return headers;
}

export interface PublicAddress {
  own: URL;
  /** Origins of the web app: only they may frame this page. */
  embedders: readonly string[];
  isAnotherSite: boolean;
  /** Hosts under which the program sees itself. */
  inside: ReadonlySet<string>;
}

/** Response headers for the browser. */
export function responseHeaders(
  response: Response,
  { own, embedders, isAnotherSite, inside }: PublicAddress,
): Headers {
  const headers = withoutHopByHop(response.headers);
  for (const name of FORBIDDEN_RESPONSE_HEADERS) headers.delete(name);
  headers.delete('set-cookie');
  for (const cookie of response.headers.getSetCookie()) {
    const kept = sandboxCookie(cookie, isAnotherSite);
    if (kept !== null) headers.append('set-cookie', kept);
  }
  const location = headers.get('location');
  if (location !== null) headers.set('location', publicLocation(location, own, inside));
  guardFrames(headers, embedders);
  return headers;
}

/** Keeps the sandbox's policies except `frame-ancestors`, which Ship sets. Multiple policies all apply. */
export function guardFrames(headers: Headers, embedders: readonly string[]): void {
  const policies = (headers.get('content-security-policy') ?? '')
    .split(',')
    .map((policy) =>
      policy
        .split(';')
        .filter((directive) => !/^\s*frame-ancestors(\s|$)/i.test(directive))
        .join(';')
        .trim(),
    )
    .filter((policy) => policy !== '');
  const framePolicy = `frame-ancestors 'self' ${embedders.join(' ')}`;
  headers.set('content-security-policy', [...policies, framePolicy].join(', '));
}

/** Rewrites redirects to the program's internal address to its public host. */
function publicLocation(location: string, own: URL, inside: ReadonlySet<string>): string {
  if (!URL.canParse(location)) return location;
  const to = new URL(location);
  if (!inside.has(to.host)) return location;
  return `${own.origin}${to.pathname}${to.search}${to.hash}`;
}
