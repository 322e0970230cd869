import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { signInUrl } from '@ship/protocol/sign-in-link';

const TIMEOUT_MS = 10_000;

/** A link that signs one browser in. On failure the plain URL: the web app says how to get a link. */
export async function signInLink(pageUrl: string, port: number, token: string): Promise<string> {
  try {
    return signInUrl(`${pageUrl}/`, await newCode(port, token));
  } catch {
    return pageUrl;
  }
}

/** Uses Node's http client: loading the protocol's client would delay every start. */
async function newCode(port: number, token: string): Promise<string> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/sign-in/links',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = (await json(answer)) as { code?: unknown } | null;
  if (answer.statusCode !== 201 || typeof body?.code !== 'string')
    throw new Error(`no link: status ${answer.statusCode}`);
  return body.code;
}
