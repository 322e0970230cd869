import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which the kernel takes ports for connections and for `listen(0)` (32768 and up on Linux). A port
 * from that range can be taken by any connection between this check and its use, or while a restarted server is down.
 */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_000;
const ATTEMPTS = 50;

/** A loopback port, IPv4 and IPv6, that no process listens on. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if ((await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'))) return port;
  }
  throw new Error(`no free port in ${ATTEMPTS} attempts`);
}

/** True where the address does not exist: a machine without IPv6 has no listener there. */
function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
