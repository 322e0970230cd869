import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { refusal, send, sendRaw } from './answers.ts';

const RETRY_AFTER_SECONDS = 1;

export interface ReadinessGate {
  server: Server;
  /** Sets the reason of the 503 answers. */
  setReason(reason: string): void;
  /** Stops answering; the front then takes over. */
  open(): void;
}

/**
 * Holds the server's port before the server is ready: its address can be published while the first template is still
 * being built, and early clients get 503 with Retry-After instead of a refused connection.
 */
export function createReadinessGate(): ReadinessGate {
  // Uploads have no time limit; only the head must arrive in time.
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
    setReason: (given) => {
      reason = given;
    },
    open: () => {
      server.off('request', onRequest);
      server.off('upgrade', onUpgrade);
    },
  };
}
