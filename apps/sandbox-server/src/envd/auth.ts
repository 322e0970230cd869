/** Authentication of calls: by the access token, or for files by a signature made with it. */
import { crypto } from './on-demand.ts';

/**
 * Compares in constant time: an early exit would reveal the length of the correct prefix. Written by hand,
 * because every call needs it, and loading `node:crypto` would slow down every cold start.
 */
export function equalSecrets(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length;
  for (let index = 0; index < given.length; index += 1) {
    difference |= given.charCodeAt(index) ^ secret.charCodeAt(index % (secret.length || 1));
  }
  return difference === 0;
}

export interface SignedRequest {
  path: string;
  operation: 'read' | 'write';
  username: string | undefined;
  signature: string | undefined;
  /** Seconds since 1970, as in the URL. */
  expiration: string | undefined;
}

/** `v1_` and the unpadded base64 of sha256("path:operation:user:token[:expiration]"). */
export function sign(request: Omit<SignedRequest, 'signature'>, token: string): string {
  const { path, operation, username, expiration } = request;
  const parts = [
    path,
    operation,
    username ?? '',
    token,
    ...(expiration === undefined ? [] : [expiration]),
  ];
  return `v1_${crypto().createHash('sha256').update(parts.join(':')).digest('base64').replace(/=+$/, '')}`;
}

/** Why a file request is refused; undefined when it is allowed. */
export function fileRefusal(
  request: SignedRequest,
  header: string | undefined,
  token: string | undefined,
  nowMs: number,
): string | undefined {
  if (token === undefined) return undefined;
  if (header !== undefined && header !== '') {
    return equalSecrets(header, token)
      ? undefined
      : 'access token present in header but does not match';
  }
  if (request.signature === undefined) return 'missing signature query parameter';
  if (!equalSecrets(sign(request, token), request.signature)) return 'invalid signature';
  const { expiration } = request;
  if (expiration !== undefined && !(Number(expiration) * 1000 >= nowMs))
    return 'signature is already expired';
  return undefined;
}
