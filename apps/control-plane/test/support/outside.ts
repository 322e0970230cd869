import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { SandboxServerOptions } from '@ship/sandbox-server';

/** Any public address: it is never dialled. */
const SOMEWHERE = '93.184.216.34';

/** Stands in for every public host, on the loopback: allowed egress gets an answer, and no request leaves the machine. */
export async function openOutside() {
  const server = createServer((_, response) => response.end('hello from outside'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const parts: Required<Pick<SandboxServerOptions, 'resolve' | 'dial'>> = {
    resolve: async () => [SOMEWHERE],
    dial: () =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port });
        socket.once('connect', () => resolve(socket));
        socket.once('error', reject);
      }),
  };
  return {
    parts,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
