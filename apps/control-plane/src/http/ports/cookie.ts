/**
 * The cookie of one port's name. Host-only, so no other sandbox and not the page itself ever gets it; HttpOnly, so what
 * runs in the sandbox's page cannot read it; taken out of every request before it goes inside.
 */
const MAX_LOOKED_AT = 20;

/** Every name that we use on this machine or in the cloud: cookies do not distinguish ports. */
const OURS = /^(__Host-)?ship([-_]|$)/;
const PASS = /^[A-Za-z0-9_-]{43}$/;

function cookieName({ protocol, port }: URL): string {
  return protocol === 'https:' ? '__Host-ship-port' : `ship_port_${port || '80'}`;
}

/**
 * In the frame of another site a browser keeps and sends only cookies that say so, and keeps them apart for each site that frames
 * (`Partitioned`). Requests of other pages are refused before a cookie is looked at (cross-origin.ts).
 */
const IN_FRAMES = 'SameSite=None; Secure; Partitioned';

export function setCookie(
  url: URL,
  value: string,
  { maxAgeMs, isAnotherSite }: { maxAgeMs: number; isAnotherSite: boolean },
): string {
  const sameSite = `SameSite=Lax${url.protocol === 'https:' ? '; Secure' : ''}`;
  const rest = isAnotherSite ? IN_FRAMES : sameSite;
  return `${cookieName(url)}=${value}; Path=/; HttpOnly; Max-Age=${Math.floor(maxAgeMs / 1_000)}; ${rest}`;
}

const pairsOf = (header: string | null): string[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');

const nameOf = (pair: string): string => (pair.split('=', 1)[0] ?? '').trim();

/** Another sandbox's page may plant cookies of the same name for all names below ours: any of them may be the right one. */
export function passesOf(request: Request): string[] {
  const name = cookieName(new URL(request.url));
  return pairsOf(request.headers.get('cookie'))
    .filter((pair) => nameOf(pair) === name)
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => PASS.test(value))
    .slice(0, MAX_LOOKED_AT);
}

/** What the program in the sandbox may know of the browser's cookies; null when that is nothing. */
export function withoutShipCookies(header: string | null): string | null {
  const kept = pairsOf(header).filter((pair) => !OURS.test(nameOf(pair)));
  return kept.length === 0 ? null : kept.join('; ');
}

/**
 * A cookie that the sandbox sets: for its own name alone, and never one of ours. Null when nothing is left of it. On another site
 * than the app's it is made one that a frame keeps, or no sign-in of the program would work in the preview.
 */
export function sandboxCookie(header: string, isAnotherSite: boolean): string | null {
  const [pair = '', ...attributes] = header.split(';');
  if (OURS.test(nameOf(pair))) return null;
  const dropped = isAnotherSite ? /^\s*(domain|samesite|secure|partitioned)\s*(=|$)/i : DOMAIN;
  const kept = attributes.filter((attribute) => !dropped.test(attribute));
  return [pair, ...kept, ...(isAnotherSite ? [` ${IN_FRAMES}`] : [])].join(';');
}

const DOMAIN = /^\s*domain\s*(=|$)/i;
