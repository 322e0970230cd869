import { saying } from '@ship/core';
import { ShipFailure } from '@ship/protocol';
import {
  type ForgeAddress,
  gitAuthorization,
  gitRemote,
  type RepositoryName,
} from '../forge/address.ts';
import { TooLong, TooSlow } from './guarded-body.ts';
import { repositoryToken } from '../forge/token.ts';
import { errorText } from '../forge/error-text.ts';
import type { MovedRepositories } from './moved.ts';
import { refusal } from './refusal.ts';

export interface GitCall {
  method: 'GET' | 'POST';
  /** `/info/refs?service=git-upload-pack`, `/git-upload-pack` or `/git-receive-pack`. */
  path: string;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
  /** The session that pushes: the local forge only accepts objects that are in the push itself, and no borrowed ones. */
  session?: string;
  /** Why the body was interrupted, if it was. */
  problem?: () => Error | undefined;
}

export interface Upstream {
  fetcher: typeof fetch;
  moved: MovedRepositories;
}

/** Only these are forwarded: a sandbox must not choose Ship's credentials, cookies or host. */
const REQUEST_HEADERS = ['accept', 'content-type', 'git-protocol', 'user-agent'];
const REFUSED = 'Ship: the forge refused Ship’s own credential. A person has to renew it.';
/** Problems of a credential before the forge sees it: retrying would not help. */
const UNUSABLE: readonly string[] = ['misconfigured', 'secret-unreadable'];
const ANSWER_HEADERS = ['content-type', 'cache-control'];

/** Calls the forge with Ship's credential. No response may reveal the credential to the sandbox. */
export async function callForge(
  address: ForgeAddress,
  repository: RepositoryName,
  call: GitCall,
  { fetcher, moved }: Upstream,
): Promise<Response> {
  const headers = new Headers();
  for (const name of REQUEST_HEADERS) {
    const value = call.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (call.session !== undefined && address.kind === 'local')
    headers.set('ship-session', call.session);
  try {
    const send = async (name: RepositoryName) => {
      const token = await repositoryToken(address, name, fetcher);
      if (token !== null) headers.set('authorization', gitAuthorization(token));
      return fetcher(`${gitRemote(address, name)}${call.path}`, {
        method: call.method,
        headers,
        // A redirect would carry Ship's credential to wherever it points.
        redirect: 'manual',
        ...(call.body === null ? {} : { body: call.body, duplex: 'half' }),
      });
    };
    const answer = await send(moved.current(address, repository));
    const name = moved.learn(address, repository, answer);
    if (name === undefined) return await answered(answer);
    await answer.body?.cancel();
    if (call.body !== null) return refusal(503, 'Ship: the repository was renamed. Try again.');
    return await answered(await send(name));
  } catch (error) {
    const problem = call.problem?.() ?? error;
    if (problem instanceof ShipFailure && UNUSABLE.includes(problem.error.code))
      return refusal(502, REFUSED);
    if (problem instanceof TooSlow) return refusal(408, 'Ship: the request came too slowly.');
    if (problem instanceof TooLong) return refusal(413, 'Ship: the request is too long.');
    return refusal(502, 'Ship: the forge cannot be reached right now. Try again shortly.');
  }
}

async function answered(answer: Response): Promise<Response> {
  if (answer.ok) {
    const headers = new Headers();
    for (const name of ANSWER_HEADERS) {
      const value = answer.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    return new Response(answer.body, { status: answer.status, headers });
  }
  const { status } = answer;
  // Not 401: git would ask the agent for a password.
  if (status === 401) {
    await answer.body?.cancel();
    return refusal(502, REFUSED);
  }
  const reason = saying(await errorText(answer));
  if (status === 403)
    return refusal(
      403,
      `Ship: the forge does not allow this with the configured credential${reason}`,
    );
  if (status === 404 || status === 410)
    return refusal(404, `Ship: the forge has no such repository${reason}`);
  if (status === 413) return refusal(413, `Ship: the forge says that this is too large${reason}`);
  if (status === 429) return refusal(429, 'Ship: the forge asks to slow down. Try again later.');
  return refusal(502, `Ship: the forge answered with ${status}. Try again shortly.`);
}
