/**
 * The cookie of one port's host. Host-only, so that neither other sandboxes nor the web app receive it; HttpOnly, so that
 * scripts of the sandbox's page cannot read it; stripped from every request before it enters the sandbox.
 */
const MAX_CANDIDATES = 20;

/** All cookie names of Ship, locally and in the cloud. */
const SHIP_COOKIE = /^(__Host-)?ship([-_]|$)/;
const PASS = /^[A-Za-z0-9_-]{43}$/;

function cookieName({ protocol, port }: URL): string {
  return protocol === 'https:' ? '__Host-ship-port' : `ship_port_${port || '80'}`;
}

/**
 * In a cross-site frame a browser keeps and sends only cookies with these attributes, and partitions them by the framing site.
 * Requests of other pages are refused before a cookie is read (cross-origin.ts).
 */
const CROSS_SITE_ATTRIBUTES = 'SameSite=None; Secure; Partitioned';

export function setCookie(
  url: URL,
  value: string,
  { maxAgeMs, isAnotherSite }: { maxAgeMs: number; isAnotherSite: boolean },
): string {
  const sameSite = `SameSite=Lax${url.protocol === 'https:' ? '; Secure' : ''}`;
  const rest = isAnotherSite ? CROSS_SITE_ATTRIBUTES : sameSite;
  return `${cookieName(url)}=${value}; Path=/; HttpOnly; Max-Age=${Math.floor(maxAgeMs / 1_000)}; ${rest}`;
}

const pairsOf = (header: string | null): string[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');

const nameOf = (pair: string): string => (pair.split('=', 1)[0] ?? '').trim();

/** All candidates: a page of another sandbox may set cookies of the same name for the parent domain. */
export function passesOf(request: Request): string[] {
  const name = cookieName(new URL(request.url));
  return pairsOf(request.headers.get('cookie'))
    .filter((pair) => nameOf(pair) === name)
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => PASS.test(value))
    .slice(0, MAX_CANDIDATES);
}

/** The cookies that the program in the sandbox may see; null for none. */
export function withoutShipCookies(header: string | null): string | null {
  const kept = pairsOf(header).filter((pair) => !SHIP_COOKIE.test(nameOf(pair)));
  return kept.length === 0 ? null : kept.join('; ');
}

/**
 * Restricts a cookie that the sandbox sets to its own host; null for one with a name of Ship's. On a different site than the app's
 * it gets the attributes for frames, or no sign-in of the program would work in the preview.
 */
export function sandboxCookie(header: string, isAnotherSite: boolean): string | null {
  const [pair = '', ...attributes] = header.split(';');
  if (SHIP_COOKIE.test(nameOf(pair))) return null;
  const dropped = isAnotherSite ? /^\s*(domain|samesite|secure|partitioned)\s*(=|$)/i : DOMAIN;
  const kept = attributes.filter((attribute) => !dropped.test(attribute));
  return [pair, ...kept, ...(isAnotherSite ? [` ${CROSS_SITE_ATTRIBUTES}`] : [])].join(';');
}

const DOMAIN = /^\s*domain\s*(=|$)/i;
