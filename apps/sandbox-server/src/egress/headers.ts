import type { IncomingMessage } from 'node:http';

/** Headers that apply to one hop. Forwarding them lets one side decide how the other parses the message. */
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

/** Raw pairs without hop-by-hop headers and without those that `Connection` lists; keeps order and duplicates. */
export function endToEndHeaders(
  message: IncomingMessage,
  drop: (name: string) => boolean = () => false,
): string[] {
  const named = new Set(
    (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()),
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

/** A body of unknown length needs new framing; the header of a known length is forwarded. */
export function bodyFraming(message: IncomingMessage): string[] {
  if (message.headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const mayHaveBody = message.method !== 'GET' && message.method !== 'HEAD';
  const unsaid = message.headers['content-length'] === undefined;
  // Node would announce a chunked body, which some servers then wait for.
  return mayHaveBody && unsaid ? ['Content-Length', '0'] : [];
}
