import { TokenId } from '@ship/protocol';

interface LiveRequest {
  after: number | undefined;
  tokenId: TokenId | undefined;
}

/** How the Worker passes a watcher on to the object: both ends of it, so that they cannot disagree. */
export function writeLiveRequest(request: Request, { after, tokenId }: LiveRequest): Request {
  const url = new URL('http://workspace/live');
  if (after !== undefined) url.searchParams.set('after', String(after));
  if (tokenId !== undefined) url.searchParams.set('token', tokenId);
  // Only what the handshake needs: the cookie and the bearer token have done their work.
  return new Request(url, { headers: { upgrade: request.headers.get('upgrade') ?? '' } });
}

export function readLiveRequest(request: Request): LiveRequest {
  const { searchParams } = new URL(request.url);
  const after = searchParams.get('after');
  const tokenId = searchParams.get('token');
  return {
    after: after === null ? undefined : Number(after),
    tokenId: tokenId === null ? undefined : TokenId.parse(tokenId),
  };
}
