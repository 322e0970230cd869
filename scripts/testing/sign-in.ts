/** Signs a browser in for tests, screenshots and benchmarks: by a link as the CLI makes it, with the local token. */
import { signInUrl } from '@ship/protocol/sign-in-link';

/** As Playwright's `addCookies` takes it. */
export interface SignInCookie {
  name: string;
  value: string;
  url: string;
  httpOnly: true;
  sameSite: 'Strict';
}

/** A code for one browser. `origin` is reached at 127.0.0.1 with its port: not every resolver knows names below localhost. */
async function newCode(origin: string, token: string): Promise<string> {
  const answer = await fetch(`${reached(origin)}/api/sign-in/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  if (answer.status !== 201) throw new Error(`no link: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { code: string }).code;
}

/** A link to a page of the web app. */
export async function newSignInLink(origin: string, token: string, path = '/'): Promise<string> {
  return signInUrl(`${origin}${path}`, await newCode(origin, token));
}

/** Does without a browser what the web app does with a link. */
export async function redeemCode(origin: string, code: string): Promise<Response> {
  const own = reached(origin);
  return fetch(`${own}/api/sign-in`, {
    method: 'POST',
    headers: { origin: own, 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
}

export async function newSignInCookie(origin: string, token: string): Promise<SignInCookie> {
  const answer = await redeemCode(origin, await newCode(origin, token));
  const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  const [name = '', value = ''] = pair.split('=');
  if (value === '') throw new Error(`no cookie: ${answer.status} ${await answer.text()}`);
  return { name, value, url: origin, httpOnly: true, sameSite: 'Strict' };
}

function reached(origin: string): string {
  const url = new URL(origin);
  url.hostname = '127.0.0.1';
  return url.origin;
}
