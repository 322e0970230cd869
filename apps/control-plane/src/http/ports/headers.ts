import { sandboxCookie, withoutShipCookies } from './cookie.ts';

/** They belong to one hop; the ways in and out are framed by whoever carries them. */
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
/** Facts about us, or wishes to the network, that are not a sandbox's to state. */
const NOT_OF_A_SANDBOX = [
  'alt-svc',
  // Of the whole site, other sandboxes' names and perhaps the app's included.
  'clear-site-data',
  'nel',
  'report-to',
  'reporting-endpoints',
  'x-frame-options',
];

function withoutHops(from: Headers): Headers {
  const headers = new Headers(from);
  const named = (from.get('connection') ?? '').split(',').map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...named]) if (isToken(name)) headers.delete(name);
  return headers;
}

const isToken = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** As the program in the sandbox gets them: nothing of ours, and the name under which the browser knows it. */
export function requestHeaders(request: Request, address: Record<string, string>): Headers {
  const url = new URL(request.url);
  const headers = withoutHops(request.headers);
  // The page must not choose another sandbox, another port, or speak with the sandbox's own server.
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

export interface Outside {
  own: URL;
  /** The origins of our page: nobody else may put this into a frame. */
  embedders: readonly string[];
  isAnotherSite: boolean;
  /** Hosts under which the program knows itself. */
  inside: ReadonlySet<string>;
}

/** As the browser gets them. */
export function responseHeaders(
  answer: Response,
  { own, embedders, isAnotherSite, inside }: Outside,
): Headers {
  const headers = withoutHops(answer.headers);
  for (const name of NOT_OF_A_SANDBOX) headers.delete(name);
  headers.delete('set-cookie');
  for (const cookie of answer.headers.getSetCookie()) {
    const kept = sandboxCookie(cookie, isAnotherSite);
    if (kept !== null) headers.append('set-cookie', kept);
  }
  const location = headers.get('location');
  if (location !== null) headers.set('location', outsideOf(location, own, inside));
  guardFrames(headers, embedders);
  return headers;
}

/** A policy of the sandbox's own stays, but who may frame it is ours to say: several policies all hold at once. */
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
  const ours = `frame-ancestors 'self' ${embedders.join(' ')}`;
  headers.set('content-security-policy', [...policies, ours].join(', '));
}

/** A program that redirects to the address that it knows itself by means its own page. */
function outsideOf(location: string, own: URL, inside: ReadonlySet<string>): string {
  if (!URL.canParse(location)) return location;
  const to = new URL(location);
  if (!inside.has(to.host)) return location;
  return `${own.origin}${to.pathname}${to.search}${to.hash}`;
}
