/** Who asks: the key and the session that a request names. Pure. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Bearer for OpenAI's protocols, `x-api-key` for Anthropic's. */
export function keyOf(headers: IncomingHttpHeaders): string | null {
  const own = headers['x-api-key'];
  if (typeof own === 'string') return own;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Enough to tell which key came, nothing to use it with: the ledger is readable without login. */
export function fingerprint(key: string | null): string | null {
  return key === null ? null : createHash('sha256').update(key).digest('hex').slice(0, 12);
}

export function sessionOf(headers: IncomingHttpHeaders): string | null {
  const session = headers['x-session-id'];
  return typeof session === 'string' ? session : null;
}
