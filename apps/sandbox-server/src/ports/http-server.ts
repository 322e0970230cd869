import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { messageOf } from '../lifecycle/errors.ts';
import type { Sandboxes } from '../lifecycle/sandboxes.ts';
import { admitRequest, routeRequest, type Destination } from './admit.ts';
import { refusal, send, sendRaw, type Answer } from './answers.ts';
import type { Connections } from './connections.ts';
import { forward } from './forward.ts';
import { ENVD_PORT } from './route.ts';
import { forwardUpgrade } from './upgrade.ts';

interface FrontOptions {
  domain: string;
  sandboxes: Sandboxes;
  connections: Connections;
  maxInboundPerSandbox: number;
  api: (request: IncomingMessage, response: ServerResponse) => unknown;
  onFailure: (message: string) => void;
}

function isAnswer(found: Destination | Answer): found is Answer {
  return 'status' in found;
}

/** One port for the API, envd of every sandbox, and their ports. Requests into sandboxes bypass the web framework. */
export function attachFront(server: Server, options: FrontOptions): void {
  const { sandboxes, connections } = options;

  const find = async (route: Parameters<typeof admitRequest>[0], request: IncomingMessage) => {
    const found = await admitRequest(route, request, sandboxes);
    if (isAnswer(found)) return found;
    if (connections.activeCount(found.record.id) >= options.maxInboundPerSandbox * 2) {
      return refusal(429, 'This sandbox has too many open connections; close some first.');
    }
    return found;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = routeRequest(request, options.domain);
    if (route.kind === 'api') {
      await options.api(request, response);
      return;
    }
    const found = await find(route, request);
    if (!isAnswer(found)) forward(connections, found, request, response);
    else {
      // An unread body would prevent reuse of the connection.
      request.resume();
      send(response, found);
    }
  };

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const route = routeRequest(request, options.domain);
    const found =
      route.kind === 'api'
        ? refusal(404, 'The API does not support upgrades.')
        : await find(route, request);
    if (isAnswer(found)) sendRaw(socket, found);
    // Joined sockets are not inspected: a redirect of the supervisor would reach the client.
    else if (found.port === ENVD_PORT)
      sendRaw(socket, refusal(400, 'The supervisor does not support upgrades.'));
    else await forwardUpgrade(connections, found, request, socket, head);
  };

  server.on('request', (request, response) => {
    response.on('error', () => response.destroy());
    serve(request, response).catch((error: unknown) => {
      options.onFailure(`${request.method} ${request.url}: ${messageOf(error)}`);
      send(response, refusal(503, 'The server could not handle the request; try again.'));
    });
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head).catch((error: unknown) => {
      options.onFailure(`upgrade ${request.url}: ${messageOf(error)}`);
      socket.destroy();
    });
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) sendRaw(socket, refusal(400, 'This is not a valid HTTP request.'));
    else socket.destroy();
  });
}
