/** What `toBase64Url` makes of 32 bytes; nothing else is worth asking for. */
const VALUE = /^[\w-]{43}$/;
/** Other servers on this machine, and pages below our name, can plant some of the same name. */
const MAX_LOOKED_AT = 20;

/** Cookies do not distinguish ports: two installations on one machine would sign each other out. */
function cookieName(request: Request): { name: string; secure: boolean } {
  const { protocol, port } = new URL(request.url);
  return protocol === 'https:'
    ? { name: '__Host-ship', secure: true }
    : { name: `ship_${port || '80'}`, secure: false };
}

/** Host-only, so that pages of sandboxes never get it, and SameSite=Strict, so that no other site can use it. */
export function writeCookie(request: Request, value: string, lifeMs: number): string {
  const { name, secure } = cookieName(request);
  const maxAge = Math.floor(lifeMs / 1_000);
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
}

/** Any of those with our name may be the right one: the browser does not say which it got from us. */
export function readCookies(request: Request): string[] {
  const start = `${cookieName(request).name}=`;
  const values = (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .filter((value) => VALUE.test(value));
  return [...new Set(values)].slice(0, MAX_LOOKED_AT);
}
