import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The server's own answer on a sandbox's address, in the shape that the SDK expects. */
export interface Answer {
  status: number;
  body: { code: number; message: string; sandboxId?: string; port?: number };
}

/** Paused and deleted look alike on purpose: the SDK reads 502 as "not running". */
export function notRunning(sandboxId: string): Answer {
  return { status: 502, body: { code: 502, message: 'The sandbox was not found', sandboxId } };
}

export function portClosed(sandboxId: string, port: number): Answer {
  const message = `The sandbox is running but nothing listens on port ${port} inside it.`;
  return { status: 502, body: { code: 502, message, sandboxId, port } };
}

/** The supervisor never redirects: one that does is compromised, and E2B's SDK would follow it with the sandbox's token. */
export function redirectRefused(sandboxId: string): Answer {
  const message = 'The sandbox answered with a redirect, which is never forwarded.';
  return { status: 502, body: { code: 502, message, sandboxId } };
}

export function refusal(status: number, message: string): Answer {
  return { status, body: { code: status, message } };
}

export function send(response: ServerResponse, answer: Answer): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

export function sendRaw(socket: Duplex, answer: Answer): void {
  const body = JSON.stringify(answer.body);
  socket.resume();
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    // Node's servers leave connections half open: one whose peer never closes would stay forever.
    () => socket.destroy(),
  );
}
