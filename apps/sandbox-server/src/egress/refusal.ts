/** Reports a refusal: in the status line that clients print, in a header and in the body. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import type { RuleName } from './policy.ts';

const REMEDY: Record<RuleName, string> = {
  'owner-allow': '',
  'sandbox-allow': '',
  'owner-deny': 'The owner of this machine denies it; only the owner can change that.',
  'sandbox-deny': 'It is not on the allow-list: allow it in Settings → Network.',
  'not-listed': 'It is not on the allow-list: allow it in Settings → Network.',
  address:
    'It leads to a private, local or reserved address. A host of your own network needs an entry that says so, such as HOST=private, in Settings → Network.',
  port: 'This port is closed to sandboxes; use http or https on an allowed port.',
  unresolvable: 'Its name could not be resolved.',
  malformed: 'Write the host as a plain name or a plain address.',
  'tunnel-port': 'There is no CONNECT to port 80; send plain http requests to the proxy itself.',
  'tls-only': 'Only TLS is spoken on this port; use https.',
  'server-name': 'Its TLS server name is not on the allow-list.',
  'no-server-name': 'The TLS client names no server (SNI), so it cannot be checked.',
  'encrypted-name': 'The TLS client encrypts the name of its server (ECH); turn that off.',
};

export function explain(host: string, rule: RuleName): string {
  return `Ship refused ${JSON.stringify(host.slice(0, 253))} (rule ${rule}). ${REMEDY[rule]}`;
}

/** Printable ASCII: clients reject anything else in a status line or header, or read it as a second header. */
function asciiLine(text: string): string {
  return text
    .replaceAll('→', '>')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 500);
}

/**
 * The text is also the reason phrase: of a refused CONNECT most clients show only the status line. 403, because npm, pnpm
 * and yarn retry for minutes after 5xx, 408 and 429, and give up immediately after 403.
 */
export function answerConnect(socket: Duplex, status: number, message: string): void {
  const line = asciiLine(message);
  const body = `${message}\n`;
  socket.resume();
  socket.end(
    `HTTP/1.1 ${status} ${line}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Ship-Egress: ${line}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

export function answerRequest(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const line = asciiLine(message);
  response.writeHead(status, line, {
    'content-type': 'text/plain; charset=utf-8',
    'x-ship-egress': line,
    connection: 'close',
  });
  response.end(`${message}\n`);
}
