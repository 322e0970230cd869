/**
 * Egress listeners on loopback: the egress proxy, the two gateways of the control plane and the registry gateway. Each
 * connection is forwarded to the server's socket for this sandbox, after one line that names the service.
 */
import { connect, createServer, type Socket } from 'node:net';
import { pipeBoth } from './tunnel.ts';

const EGRESS_PORTS = { egress: 3128, models: 7001, git: 7002, registry: 7003 } as const;
type EgressName = keyof typeof EGRESS_PORTS;

const PROXY = `http://127.0.0.1:${EGRESS_PORTS.egress}`;
export const REGISTRY_URL = `http://127.0.0.1:${EGRESS_PORTS.registry}`;
const DIRECT = 'localhost,127.0.0.1,::1';

/** Proxy variables of curl, git, npm, pip, Node and Bun. Some read only one case. */
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

export function startEgressListeners(socketPath: string): void {
  for (const [name, port] of Object.entries(EGRESS_PORTS)) {
    // No Nagle delay: a response comes in several small writes, and each but the first would be delayed by 40 ms, until
    // the client acknowledges the previous one.
    const options = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true };
    const server = createServer(options, (client) => {
      forward(client, socketPath, name as EgressName);
    });
    // A process inside that occupies the port first harms only its own egress.
    server.on('error', () => {});
    // Without an address: loopback is the only network here, and naming it would load Node's resolver at start.
    server.listen(port);
  }
}

function forward(client: Socket, socketPath: string, name: EgressName): void {
  const upstream = connect({ path: socketPath, allowHalfOpen: true });
  client.on('error', () => upstream.destroy());
  // While the server restarts nothing accepts: the client sees a closed connection, and retries.
  upstream.on('error', () => client.destroy());
  upstream.once('connect', () => {
    upstream.write(`SHIP/1 ${name}\n`);
    pipeBoth(client, upstream);
    client.resume();
  });
}
