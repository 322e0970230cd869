import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';

import type { Destination } from './admit.ts';
import { TRAFFIC_TOKEN_HEADER } from './admit.ts';
import { notRunning, portClosed, sendRaw } from './answers.ts';
import type { Connections } from './connections.ts';
import { maskedHost } from './forward.ts';
import { PortClosedError } from './tunnel.ts';

const OWN_HEADERS = new Set([
  'e2b-sandbox-id',
  'e2b-sandbox-port',
  TRAFFIC_TOKEN_HEADER,
  'x-api-key',
]);

/** The original request head: an upgrade needs its hop-by-hop headers. */
function rawHead(destination: Destination, request: IncomingMessage): string {
  const mask = maskedHost(destination, request);
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/1.1`];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? '';
    if (OWN_HEADERS.has(name.toLowerCase())) continue;
    const isHost = name.toLowerCase() === 'host';
    lines.push(`${name}: ${isHost && mask !== undefined ? mask : request.rawHeaders[index + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** WebSocket and other upgrades: connects both sockets to each other. */
export async function forwardUpgrade(
  connections: Connections,
  destination: Destination,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const { record, port } = destination;
  let inside: Duplex;
  try {
    inside = await connections.open(record.id, port);
  } catch (error) {
    sendRaw(
      client,
      error instanceof PortClosedError ? portClosed(record.id, port) : notRunning(record.id),
    );
    return;
  }
  if (client.destroyed) {
    inside.destroy();
    return;
  }
  const untrack = connections.track(record.id, inside, client);
  const close = (): void => {
    untrack();
    client.destroy();
    inside.destroy();
  };
  inside.once('close', close);
  client.once('close', close);
  inside.write(rawHead(destination, request));
  if (head.length > 0) inside.write(head);
  pipeline(client, inside, () => undefined);
  pipeline(inside, client, () => undefined);
}
