import { type Credential, readCredentials, writeCredentials } from '../platform/credential.ts';

/** A client that watches a session, and the seq to start from. */
export interface WatchRequest {
  kind: 'socket' | 'stream';
  after: number | undefined;
  name: string;
  credentials: readonly Credential[];
}

/** How the Worker passes a watcher to the object. Writer and reader are in one file, so that they cannot disagree. */
export function writeWatchRequest(request: Request, watch: WatchRequest): Request {
  const url = new URL(`http://session/${watch.kind}`);
  url.searchParams.set('name', watch.name);
  if (watch.after !== undefined) url.searchParams.set('after', String(watch.after));
  url.searchParams.set('credentials', writeCredentials(watch.credentials));
  // Forwards only what the handshake needs: the cookie and the bearer token have been checked.
  const upgrade = request.headers.get('upgrade');
  return new Request(url, {
    headers: upgrade === null ? {} : { upgrade },
    signal: request.signal,
  });
}

export function readWatchRequest(request: Request): WatchRequest {
  const { pathname, searchParams } = new URL(request.url);
  const after = searchParams.get('after');
  return {
    kind: pathname === '/socket' ? 'socket' : 'stream',
    after: after === null ? undefined : Number(after),
    name: searchParams.get('name') ?? '',
    credentials: readCredentials(searchParams.get('credentials')),
  };
}
