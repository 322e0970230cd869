/** Connections to authorized destinations: directly, or through the machine's own proxy. */
import { request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';

import { secure } from '../certificates/authorities.ts';
import { systemDialer, type Destination, type Dialer } from './dial.ts';
import type { ProxyEndpoint } from './upstream-proxy.ts';

const CONNECT_TIMEOUT_MS = 20_000;

/** The proxy cannot be used. Clients in a sandbox print the message: it must contain no address and no secret. */
export class ProxyFailure extends Error {}

/** A raw connection: to the authorized address itself, or through the upstream proxy. */
export async function dialUpstream(
  { host, port, address, proxy }: Destination,
  dial: Dialer,
): Promise<Duplex> {
  if (proxy !== undefined) return connectThrough(proxy, host, port);
  if (address === undefined) throw new Error('a direct connection needs the authorized address');
  return dial(address, port);
}

/** Connects to the proxy itself. An `https://` proxy has a certificate for its own name, not for the destination's. */
export async function dialProxy(proxy: ProxyEndpoint): Promise<Duplex> {
  const socket = await systemDialer(proxy.host, proxy.port);
  if (!proxy.isSecure) return socket;
  try {
    return await secure(socket, proxy.host, proxy.authorities);
  } catch (error) {
    const { code = 'no TLS answer' } = error as NodeJS.ErrnoException;
    throw new ProxyFailure(
      `the certificate of the upstream proxy is not accepted (${code}); set NODE_EXTRA_CA_CERTS for Ship to a file with its authority`,
      { cause: error },
    );
  }
}

/** A tunnel to `host:port` by CONNECT. The proxy resolves the name. */
export async function connectThrough(
  proxy: ProxyEndpoint,
  host: string,
  port: number,
): Promise<Duplex> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const connection = await dialProxy(proxy);
  return await new Promise((resolve, reject) => {
    const request = httpRequest({
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...authorizationHeader(proxy) },
      createConnection: () => connection,
    });
    // A timer instead of a signal: the request keeps its socket, and a late abort would close the tunnel.
    const timer = setTimeout(() => {
      request.destroy(new Error('the upstream proxy does not answer'));
    }, CONNECT_TIMEOUT_MS);
    request.once('close', () => clearTimeout(timer));
    request.once('connect', (response, socket, head) => {
      clearTimeout(timer);
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) {
        socket.destroy();
        reject(new ProxyFailure(`the upstream proxy answered ${status}`));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('error', reject);
    request.end();
  });
}

export function authorizationHeader({ authorization }: ProxyEndpoint): Record<string, string> {
  return authorization === undefined ? {} : { 'Proxy-Authorization': authorization };
}
