import { sameSecret, toBase64Url } from '../../platform/bytes.ts';
import { readCookies, writeCookie } from './cookie.ts';

/**
 * Who opens the page on this machine is its one user: with the page comes the cookie. It is derived from the local
 * token and does not reveal it.
 */
export async function withPageCookie(
  localToken: string,
  request: Request,
  response: Response,
): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
  const answer = new Response(response.body, response);
  answer.headers.append('set-cookie', writeCookie(request, await cookieValue(localToken)));
  return answer;
}

export async function hasPageCookie(localToken: string, request: Request): Promise<boolean> {
  const expected = await cookieValue(localToken);
  return readCookies(request).some((value) => sameSecret(value, expected));
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
