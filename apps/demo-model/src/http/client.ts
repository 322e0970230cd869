/** The API key and the session of a request. Pure. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Bearer for OpenAI's protocols, `x-api-key` for Anthropic's. */
export function keyOf(headers: IncomingHttpHeaders): string | null {
  const apiKey = headers['x-api-key'];
  if (typeof apiKey === 'string') return apiKey;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Identifies a key without revealing it: the ledger is readable without authentication. */
export function fingerprint(key: string | null): string | null {
  return key === null ? null : createHash('sha256').update(key).digest('hex').slice(0, 12);
}

export function sessionOf(headers: IncomingHttpHeaders): string | null {
  const session = headers['x-session-id'];
  return typeof session === 'string' ? session : null;
}
