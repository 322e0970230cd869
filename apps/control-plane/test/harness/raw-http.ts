/** Sends requests as an attacker writes them: any Host, path and header, without normalization. */
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 60_000;

export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The open connection of a WebSocket. */
  socket?: Socket;
}

/** Sends `path` unchanged, even if it is an absolute URL. */
export function askRaw(
  port: number,
  { method = 'GET', path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent: false, timeout: TIMEOUT_MS },
      (answer) => {
        const { statusCode: status = 0, headers: got } = answer;
        text(answer).then((read) => resolve({ status, headers: got, text: read }), reject);
      },
    );
    outgoing.on(
      'upgrade',
      ({ statusCode: status = 0, headers: got }, socket: Socket, head: Buffer) => {
        if (head.length > 0) socket.unshift(head);
        // Either side may end the connection.
        socket.on('error', () => undefined);
        resolve({ status, headers: got, text: '', socket });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export const HANDSHAKE: Readonly<Record<string, string>> = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const CLOSE_FRAME = 0x88;

/** Resolves when the server ends the connection or sends a WebSocket close frame. */
export function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.readableEnded) return resolve();
    for (const event of ['end', 'close']) socket.once(event, () => resolve());
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (let frame = firstFrame(pending); frame !== undefined; frame = firstFrame(pending)) {
        if (pending[0] === CLOSE_FRAME) resolve();
        pending = pending.subarray(frame);
      }
    });
  });
}

/** The size of the first frame, once it is complete. Servers do not mask frames. */
function firstFrame(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const header = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < header) return undefined;
  const size =
    short === 126
      ? bytes.readUInt16BE(2)
      : short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  return bytes.length < header + size ? undefined : header + size;
}
