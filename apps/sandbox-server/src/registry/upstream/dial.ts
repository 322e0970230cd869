import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

import { dialUpstream as dialDestination, type Dialer } from '../../egress/dial.ts';
import type { ProxyEndpoint } from '../../egress/upstream-proxy.ts';

/** One judged way to an upstream: exactly this address under this name, or through the machine's own proxy. */
export interface Route {
  hostname: string;
  port: number;
  isSecure: boolean;
  /** Undefined where only the proxy can resolve the name. */
  address: string | undefined;
  proxy?: ProxyEndpoint | undefined;
}

const MAX_AGENTS = 64;
const SOCKETS_PER_AGENT = 16;
const TLS_TIMEOUT_MS = 10_000;

/** Node's own authorities, those of the machine and those that the server was given: companies sign their own registries. */
const trustedAuthorities = (given: readonly string[]): SecureContext =>
  createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...given])],
  });

interface DialDeps {
  dial: Dialer;
  authorities: () => SecureContext;
}

/** The one place where the gateway opens a connection. */
async function dialUpstream({ dial, authorities }: DialDeps, route: Route): Promise<Duplex> {
  const { hostname: host, port, address, proxy } = route;
  const socket = await dialDestination({ host, port, address, proxy }, dial);
  if (!route.isSecure) return socket;
  return await new Promise((resolve, reject) => {
    const isAddress = route.hostname.startsWith('[') || /^[0-9.]+$/.test(route.hostname);
    const secure = connect({
      socket,
      secureContext: authorities(),
      host: route.hostname,
      ...(isAddress ? {} : { servername: route.hostname }),
    });
    const timer = setTimeout(() => secure.destroy(new Error('no TLS answer')), TLS_TIMEOUT_MS);
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      secure.off('error', reject);
      resolve(secure);
    });
    secure.once('error', (error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    });
  });
}

type Connected = (error: Error | null, stream: Duplex) => void;

class RouteAgent extends Agent {
  readonly #deps: DialDeps;
  readonly #route: Route;

  constructor(deps: DialDeps, route: Route) {
    super({ keepAlive: true, maxSockets: SOCKETS_PER_AGENT, maxFreeSockets: SOCKETS_PER_AGENT });
    this.#deps = deps;
    this.#route = route;
  }

  override createConnection(_options: ClientRequestArgs, callback?: Connected): undefined {
    void this.#connect(callback ?? (() => undefined));
  }

  async #connect(done: Connected): Promise<void> {
    let stream: Duplex;
    try {
      stream = await dialUpstream(this.#deps, this.#route);
    } catch (error) {
      // Node's type asks for a stream where there is none; it reads the error alone.
      (done as (error: Error) => void)(asError(error));
      return;
    }
    done(null, stream);
  }
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** Kept connections, by name and address: one that was judged for an address is never used for another. */
export class Routes {
  readonly #deps: DialDeps;
  readonly #agents = new Map<string, RouteAgent>();

  /** `certificates`: PEM texts of authorities beyond those of Node and the system. */
  constructor(dial: Dialer, certificates: readonly string[]) {
    let context: SecureContext | undefined;
    const authorities = () => (context ??= trustedAuthorities(certificates));
    this.#deps = { dial, authorities };
  }

  agentFor(route: Route): Agent {
    const key = JSON.stringify(route);
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    for (const [oldest, agent] of this.#agents) {
      if (this.#agents.size < MAX_AGENTS) break;
      this.#agents.delete(oldest);
      agent.destroy();
    }
    const agent = new RouteAgent(this.#deps, route);
    this.#agents.set(key, agent);
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}
