import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { refusal, send, sendRaw } from './answers.ts';

const RETRY_AFTER_SECONDS = 1;

export interface Door {
  server: Server;
  /** Why nobody is let in; said to whoever asks. */
  say(reason: string): void;
  /** From now on the front answers. */
  open(): void;
}

/**
 * The server's port before the server is ready: its address can be handed out while the first template is still being
 * built, and whoever comes early is told to come again instead of being refused a connection.
 */
export function createDoor(): Door {
  // Uploads take as long as they take; only the head must come in time.
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: 60_000,
    keepAliveTimeout: 75_000,
  });
  let reason = 'The sandbox server is still starting; try again shortly.';
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    response.setHeader('retry-after', RETRY_AFTER_SECONDS);
    send(response, refusal(503, reason));
  };
  const onUpgrade = (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    sendRaw(socket, refusal(503, reason));
  };
  server.on('request', onRequest);
  server.on('upgrade', onUpgrade);
  return {
    server,
    say: (given) => {
      reason = given;
    },
    open: () => {
      server.off('request', onRequest);
      server.off('upgrade', onUpgrade);
    },
  };
}
