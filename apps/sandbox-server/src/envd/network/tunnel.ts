/** `CONNECT 127.0.0.1:PORT`: the host's raw connection to a port inside. WebSockets work, because nothing is parsed. */
import { connect, type Socket } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);
const CONNECT_TIMEOUT_MS = 10_000;

/** The port in a CONNECT line; undefined unless it is on this sandbox's loopback. */
export function tunnelPort(target: string): number | undefined {
  const match = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(target);
  const port = Number(match?.[2]);
  if (!LOOPBACK_NAMES.has(match?.[1] ?? '') || !(port >= 1 && port <= 65_535)) return undefined;
  return port;
}

export function serveTunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
  client.on('error', () => client.destroy());
  const port = tunnelPort(request.url ?? '');
  if (port === undefined) {
    client.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    return;
  }
  dial(port, '127.0.0.1')
    // Node's development servers listen only on ::1 when `localhost` resolves to it first.
    .catch(() => dial(port, '::1'))
    .then(
      (upstream) => join(client, upstream, head),
      () => client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'),
    );
}

function dial(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, allowHalfOpen: true });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(new Error('timed out')));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      socket.setTimeout(0);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

function join(client: Duplex, upstream: Socket, head: Buffer): void {
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  pipeBoth(client, upstream);
}

/** Pipes both ways with back pressure; an error on one side closes both. */
export function pipeBoth(a: Duplex, b: Duplex): void {
  a.pipe(b);
  b.pipe(a);
  const closeBoth = () => {
    a.destroy();
    b.destroy();
  };
  for (const side of [a, b]) {
    side.on('error', closeBoth);
    side.on('close', closeBoth);
  }
}
