import type { IncomingMessage } from 'node:http';

/** Headers that belong to one hop. Passing them on lets one side decide how the other reads the message. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Raw pairs without hop-by-hop headers and without what `Connection` names; order and repeats are kept. */
export function endToEndHeaders(
  message: IncomingMessage,
  drop: (name: string) => boolean = () => false,
): string[] {
  const named = new Set(
    String(message.headers.connection ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  );
  const kept: string[] = [];
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || named.has(lower) || drop(lower)) continue;
    kept.push(name, message.rawHeaders[index + 1] ?? '');
  }
  return kept;
}

/** A body of unknown length must be framed anew; a known length is passed on by its own header. */
export function bodyFraming(message: IncomingMessage): string[] {
  if (message.headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const mayHaveBody = message.method !== 'GET' && message.method !== 'HEAD';
  const unsaid = message.headers['content-length'] === undefined;
  // Node would announce a chunked body, which some servers then wait for.
  return mayHaveBody && unsaid ? ['Content-Length', '0'] : [];
}
