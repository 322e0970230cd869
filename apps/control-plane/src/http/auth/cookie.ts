const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;
/** A page of a sandbox may plant many of the same name. */
const MAX_LOOKED_AT = 5;

/** Cookies do not distinguish ports: two installations on one machine would sign each other out. */
function cookieName(request: Request): { name: string; secure: boolean } {
  const { protocol, port } = new URL(request.url);
  return protocol === 'https:'
    ? { name: '__Host-ship', secure: true }
    : { name: `ship_${port || '80'}`, secure: false };
}

/** Host-only, so that pages of sandboxes, which live on names below ours, never get it. */
export function writeCookie(request: Request, value: string): string {
  const { name, secure } = cookieName(request);
  const maxAge = value === '' ? 0 : MAX_AGE_SECONDS;
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
}

/** A page of a sandbox may plant a cookie of the same name for all names below ours: any of them may be the right one. */
export function readCookies(request: Request): string[] {
  const start = `${cookieName(request).name}=`;
  return (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .slice(0, MAX_LOOKED_AT)
    .map((pair) => pair.slice(start.length));
}
