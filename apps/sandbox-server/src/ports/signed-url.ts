import { createHash, timingSafeEqual } from 'node:crypto';

export interface SignedRequest {
  method: string;
  url: string;
}

/**
 * A signed URL on a shared address names no sandbox: it belongs to the one whose token made the signature. envd verifies
 * the signature again, and its expiration.
 */
export function findSigner<T extends { accessToken?: string | undefined }>(
  request: SignedRequest,
  candidates: Iterable<T>,
): T | undefined {
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '');
  const given = Buffer.from(query.get('signature') ?? '');
  const operation = request.method === 'POST' || request.method === 'PUT' ? 'write' : 'read';
  const expiration = query.get('signature_expiration');
  const head = `${query.get('path') ?? ''}:${operation}:${query.get('username') ?? ''}`;
  for (const candidate of candidates) {
    if (candidate.accessToken === undefined) continue;
    const raw = `${head}:${candidate.accessToken}${expiration === null ? '' : `:${expiration}`}`;
    const hash = createHash('sha256').update(raw).digest('base64').replace(/=+$/, '');
    const expected = Buffer.from(`v1_${hash}`);
    if (expected.length === given.length && timingSafeEqual(expected, given)) return candidate;
  }
  return undefined;
}
