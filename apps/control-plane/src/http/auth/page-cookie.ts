import { sameSecret, toBase64Url } from '../../platform/bytes.ts';

const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/**
 * Who opens the page on this machine is its one user: with the page comes the cookie. It is derived from the local
 * token and does not reveal it. Host-only, so that pages of sandboxes, which live on names below ours, never get it.
 */
export async function withPageCookie(
  localToken: string,
  request: Request,
  response: Response,
): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
  const { name, secure } = cookieName(request);
  const answer = new Response(response.body, response);
  answer.headers.append(
    'set-cookie',
    `${name}=${await cookieValue(localToken)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${MAX_AGE_SECONDS}${secure ? '; Secure' : ''}`,
  );
  return answer;
}

/** A page of a sandbox may plant a cookie of the same name for all names below ours: any of them may be the right one. */
export async function hasPageCookie(localToken: string, request: Request): Promise<boolean> {
  const { name } = cookieName(request);
  const given = (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .slice(0, 5);
  const expected = `${name}=${await cookieValue(localToken)}`;
  const same = await Promise.all(given.map((pair) => sameSecret(pair, expected)));
  return same.includes(true);
}

/** Cookies do not distinguish ports: two installations on one machine would sign each other out. */
function cookieName(request: Request): { name: string; secure: boolean } {
  const { protocol, port } = new URL(request.url);
  return protocol === 'https:'
    ? { name: '__Host-ship', secure: true }
    : { name: `ship_${port || '80'}`, secure: false };
}

async function cookieValue(localToken: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(localToken), algorithm, false, [
    'sign',
  ]);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode('ship page cookie v1'));
  return toBase64Url(new Uint8Array(signature));
}
