/**
 * The ways out, offered on loopback: the egress proxy, the two gateways of the control plane and the registry gateway. Each
 * connection goes into the server's socket for this sandbox, after one line that says which of them it is.
 */
import { connect, createServer, type Socket } from 'node:net';
import { pipeBoth } from './tunnel.ts';

const EGRESS_PORTS = { egress: 3128, models: 7001, git: 7002, registry: 7003 } as const;
type EgressName = keyof typeof EGRESS_PORTS;

const PROXY = `http://127.0.0.1:${EGRESS_PORTS.egress}`;
export const REGISTRY_URL = `http://127.0.0.1:${EGRESS_PORTS.registry}`;
const DIRECT = 'localhost,127.0.0.1,::1';

/** What curl, git, npm, pip, Node and Bun look for. Some read only one case. */
export const PROXY_ENVIRONMENT: Record<string, string> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: DIRECT,
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: DIRECT,
  NODE_USE_ENV_PROXY: '1',
};

export function offerEgress(socketPath: string): void {
  for (const [name, port] of Object.entries(EGRESS_PORTS)) {
    // Without a delay: an answer comes in several small pieces, and each but the first would be kept back for 40 ms, until
    // the client acknowledged the one before.
    const options = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true };
    const server = createServer(options, (client) => {
      forward(client, socketPath, name as EgressName);
    });
    // A process inside that took the port first harms its own way out only.
    server.on('error', () => {});
    // Without an address: the sandbox has no network but loopback, and naming one would load Node's resolver at start.
    server.listen(port);
  }
}

function forward(client: Socket, socketPath: string, name: EgressName): void {
  const upstream = connect({ path: socketPath, allowHalfOpen: true });
  client.on('error', () => upstream.destroy());
  // While the server restarts there is nobody to answer: the client sees a refused connection, and tries again.
  upstream.on('error', () => client.destroy());
  upstream.once('connect', () => {
    upstream.write(`SHIP/1 ${name}\n`);
    pipeBoth(client, upstream);
    client.resume();
  });
}
