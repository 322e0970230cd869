import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';

import { secure, type Authorities } from '../../certificates/authorities.ts';
import type { Dialer } from '../../egress/dial.ts';
import { dialUpstream as dialDestination } from '../../egress/dial-upstream.ts';
import type { ProxyEndpoint } from '../../egress/upstream-proxy.ts';

/** One authorized route to an upstream: exactly this address under this name, or through the machine's own proxy. */
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

interface DialDeps {
  dial: Dialer;
  authorities: Authorities;
}

/** The only place where the gateway opens connections. */
async function dialUpstream({ dial, authorities }: DialDeps, route: Route): Promise<Duplex> {
  const { hostname: host, port, address, proxy } = route;
  const socket = await dialDestination({ host, port, address, proxy }, dial);
  return route.isSecure ? await secure(socket, route.hostname, authorities) : socket;
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
      // Node's type requires a stream beside the error, which it never reads.
      (done as (error: Error) => void)(asError(error));
      return;
    }
    done(null, stream);
  }
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** Keep-alive connections, by name and address: one that was authorized for an address is never used for another. */
export class Routes {
  readonly #deps: DialDeps;
  readonly #agents = new Map<string, RouteAgent>();

  constructor(dial: Dialer, authorities: Authorities) {
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
