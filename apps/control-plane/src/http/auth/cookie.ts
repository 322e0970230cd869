/** 32 bytes in base64url; other values are not looked up. */
const VALUE = /^[\w-]{43}$/;
/** Other servers on this machine and pages on subdomains can set cookies with the same name. */
const MAX_CANDIDATES = 20;

/** The name has the port, because cookies ignore it: two installations on one machine would sign each other out. */
function cookieName(request: Request): { name: string; secure: boolean } {
  const { protocol, port } = new URL(request.url);
  return protocol === 'https:'
    ? { name: '__Host-ship', secure: true }
    : { name: `ship_${port || '80'}`, secure: false };
}

/** Host-only, so that sandbox pages never receive it; SameSite=Strict, so that no other site can use it. */
export function writeCookie(request: Request, value: string, lifeMs: number): string {
  const { name, secure } = cookieName(request);
  const maxAge = Math.floor(lifeMs / 1_000);
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
}

/** All candidates with Ship's cookie name: the browser does not say which one Ship set. */
export function readCookies(request: Request): string[] {
  const start = `${cookieName(request).name}=`;
  const values = (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
    .filter((value) => VALUE.test(value));
  return [...new Set(values)].slice(0, MAX_CANDIDATES);
}
