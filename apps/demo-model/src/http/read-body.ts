import type { IncomingMessage } from 'node:http';

/** Larger than any conversation with images; without a limit a client could exhaust memory. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export type Body = { ok: true; value: unknown } | { ok: false; status: 400 | 413; message: string };

export async function readJsonBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      return { ok: false, status: 413, message: 'The request body is too large' };
    }
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch {
    return { ok: false, status: 400, message: 'The request body is not JSON' };
  }
}
