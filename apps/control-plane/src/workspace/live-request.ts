import { type Credential, readCredentials, writeCredentials } from '../platform/credential.ts';

interface LiveRequest {
  after: number | undefined;
  credentials: readonly Credential[];
}

/** The request with which the Worker hands a watcher to the Durable Object. Writer and reader are in one file to stay in sync. */
export function writeLiveRequest(request: Request, { after, credentials }: LiveRequest): Request {
  const url = new URL('http://workspace/live');
  if (after !== undefined) url.searchParams.set('after', String(after));
  url.searchParams.set('credentials', writeCredentials(credentials));
  // Only what the handshake needs, without the cookie and the bearer token.
  return new Request(url, { headers: { upgrade: request.headers.get('upgrade') ?? '' } });
}

export function readLiveRequest(request: Request): LiveRequest {
  const { searchParams } = new URL(request.url);
  const after = searchParams.get('after');
  return {
    after: after === null ? undefined : Number(after),
    credentials: readCredentials(searchParams.get('credentials')),
  };
}
