import { randomBytes } from 'node:crypto';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { uidOfClient } from './socket-owner.ts';

const HOST = '127.0.0.1';
/** Long enough to start a browser on a busy machine. */
const WAIT_MS = 60_000;

export interface LinkRedirect {
  /** URL for the browser's command line. */
  url: string;
  /** Resolves when the browser was redirected, or after the timeout. */
  done: Promise<void>;
  close(): void;
}

/**
 * A single-use URL that redirects a browser of the same user to the link. Every user of the machine can read the command line
 * that opens the browser, and could use the link first.
 */
export async function startRedirect(link: string): Promise<LinkRedirect> {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = createServer((request, response) => {
    const isOurs = request.url === path && isSameUser(request);
    response.writeHead(isOurs ? 303 : 404, {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
      ...(isOurs && { location: link }),
    });
    response.end();
    if (isOurs) response.once('finish', () => server.close());
  });
  const done = new Promise<void>((resolve) => server.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  const timer = setTimeout(close, WAIT_MS);
  void done.then(() => clearTimeout(timer));
  return { url: `http://${HOST}:${portOf(server.address())}${path}`, done, close };

  function close(): void {
    server.close();
    server.closeAllConnections();
  }
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

function isSameUser({ socket }: IncomingMessage): boolean {
  const { remotePort = 0, localPort = 0 } = socket;
  const uid = uidOfClient({ clientPort: remotePort, serverPort: localPort });
  return uid !== undefined && uid === process.getuid?.();
}
