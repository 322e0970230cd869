import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that only this machine can reach: a request that a sandbox causes here is an escape. */
export interface Canary {
  url: string;
  port: number;
  /** `METHOD /path` and the names of the credential headers. */
  seen: string[];
  close(): void;
}

const CREDENTIALS = ['authorization', 'x-access-token', 'x-api-key', 'cookie'];

export async function openCanary(): Promise<Canary> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const credentials = CREDENTIALS.filter((name) => request.headers[name] !== undefined);
    seen.push([request.method, request.url, ...credentials].join(' '));
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"secret":"of this machine"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
