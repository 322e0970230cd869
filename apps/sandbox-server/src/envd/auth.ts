/** Who may call: the access token, or for files a signature made with it. */
import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compared by digest: equal length, and equal time wherever the first difference is. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

export interface SignedRequest {
  path: string;
  operation: 'read' | 'write';
  username: string | undefined;
  signature: string | undefined;
  /** Seconds since 1970, as the URL has it. */
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
  return `v1_${createHash('sha256').update(parts.join(':')).digest('base64').replace(/=+$/, '')}`;
}

/** Why a file request is refused; undefined when it may pass. */
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
