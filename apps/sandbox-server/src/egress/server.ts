import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { mkdirSync } from 'node:fs';
import { chmod, open, readdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';

import type { Authorities } from '../certificates/authorities.ts';
import { SANDBOX_ID_PATTERN } from '../lifecycle/ids.ts';
import { forwardToGateway, type GatewayName, type GatewayUpstream } from './gateway.ts';
import type { Ledger, Meter } from './ledger.ts';
import type { SandboxPolicy } from './policy.ts';
import { readPreamble, type Service } from './preamble.ts';
import { handleConnect, handleForward, type EgressDependencies } from './proxy.ts';
import type { EgressSession } from './session.ts';
import { upstreamProxies, type ProxySettings } from './upstream-proxy.ts';
import { refuse, type RegistryGateway } from '../registry/gateway.ts';
import { RegistryError } from '../registry/errors.ts';

interface EgressOptions extends Omit<EgressDependencies, 'proxies'> {
  /** The proxy that this machine has to use itself; none unless given. */
  upstreamProxy?: ProxySettings | undefined;
  /** Whose certificate that proxy may have; default: whom this machine trusts. */
  authorities?: Authorities | undefined;
  /** Folder of the sockets; each sandbox gets a folder of its own in it, so that one can be shown it and no other. */
  folder: string;
  gateways: Partial<Record<GatewayName, GatewayUpstream | undefined>>;
  /** Undefined: it is switched off. */
  registry?: RegistryGateway | undefined;
  maxConnectionsPerSandbox: number;
}

interface ProxyListener {
  session: EgressSession;
  server: Server;
}

/** The way out of every sandbox: one unix socket each, so that who asks needs no proof. */
export class EgressServer {
  readonly #options: EgressOptions & EgressDependencies;
  readonly #listeners = new Map<string, ProxyListener>();
  readonly #sessions = new WeakMap<Duplex, EgressSession>();
  readonly #http: Record<Service, HttpServer>;

  constructor(options: EgressOptions) {
    this.#options = {
      ...options,
      proxies: upstreamProxies(options.upstreamProxy ?? {}, options.authorities),
    };
    this.#http = {
      egress: this.#egress(),
      models: this.#gateway('models'),
      git: this.#gateway('git'),
      registry: this.#registry(),
    };
    for (const server of Object.values(this.#http)) {
      server.requestTimeout = 0;
      server.headersTimeout = 30_000;
      server.keepAliveTimeout = 60_000;
      server.on('clientError', (_error, socket) => socket.destroy());
    }
  }

  socketPath(id: string): string {
    return join(this.#options.folder, id, 'egress.sock');
  }

  async open(id: string, ledger: Ledger, policy: SandboxPolicy): Promise<void> {
    if (this.#listeners.has(id)) return;
    const session: EgressSession = {
      sandboxId: id,
      ledger,
      policy,
      sockets: new Set(),
      outbound: new Set(),
    };
    const server = createServer((socket) => this.#admit(session, socket));
    this.#listeners.set(id, { session, server });
    const path = this.socketPath(id);
    // At once, and not later: the sandbox that is being started shows this folder inside.
    mkdirSync(join(this.#options.folder, id), { recursive: true, mode: 0o711 });
    await rm(path, { force: true });
    await listenOn(server, path);
    // The sandbox runs under another uid. Its folder's name is a secret of 98 bits on a path that nobody can list.
    await chmod(path, 0o666);
  }

  setPolicy(id: string, policy: SandboxPolicy): void {
    const listener = this.#listeners.get(id);
    if (listener === undefined) return;
    listener.session.policy = policy;
    // What was allowed a moment ago may not be any more: open tunnels are judged again by reconnecting.
    for (const socket of listener.session.outbound) socket.destroy();
  }

  async close(id: string): Promise<void> {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    if (listener !== undefined) {
      for (const socket of listener.session.sockets) socket.destroy();
      await new Promise<void>((resolve) => listener.server.close(() => resolve()));
    }
  }

  async remove(id: string): Promise<void> {
    await this.close(id);
    await rm(join(this.#options.folder, id), { recursive: true, force: true });
  }

  /** Sandboxes that have a folder here, also those of an earlier server. */
  async list(): Promise<string[]> {
    const names = await readdir(this.#options.folder).catch(() => []);
    return names.filter((name) => SANDBOX_ID_PATTERN.test(name));
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#listeners.keys()].map((id) => this.close(id)));
  }

  #admit(session: EgressSession, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (session.sockets.size >= this.#options.maxConnectionsPerSandbox) {
      socket.resume();
      socket.end(
        'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        () => socket.destroy(),
      );
      return;
    }
    session.sockets.add(socket);
    socket.once('close', () => {
      session.sockets.delete(socket);
      session.outbound.delete(socket);
    });
    void this.#serve(session, socket);
  }

  async #serve(session: EgressSession, socket: Socket): Promise<void> {
    const service = await readPreamble(socket);
    if (service === undefined) {
      socket.destroy();
      return;
    }
    if (service === 'egress') session.outbound.add(socket);
    this.#sessions.set(socket, session);
    this.#http[service].emit('connection', socket);
    socket.resume();
  }

  #egress(): HttpServer {
    const server = createHttpServer((request, response) => {
      const session = this.#sessions.get(request.socket);
      if (session === undefined) response.destroy();
      else {
        handleForward(session, this.#options, request, response).catch(() => response.destroy());
      }
    });
    server.on('connect', (request, socket, head) => {
      const session = this.#sessions.get(request.socket);
      if (session === undefined) socket.destroy();
      else {
        handleConnect(session, this.#options, request, socket, head).catch(() => socket.destroy());
      }
    });
    return server;
  }

  #gateway(name: GatewayName): HttpServer {
    return createHttpServer((request, response) => {
      const session = this.#sessions.get(request.socket);
      if (session === undefined) {
        response.destroy();
        return;
      }
      const meter = this.#meter(session, name);
      const upstream = this.#options.gateways[name];
      forwardToGateway(name, upstream, session.sandboxId, meter, request, response);
    });
  }

  #registry(): HttpServer {
    return createHttpServer((request, response) => {
      const session = this.#sessions.get(request.socket);
      const { registry } = this.#options;
      response.on('error', () => response.destroy());
      if (session === undefined) response.destroy();
      else if (registry === undefined)
        refuse(
          response,
          new RegistryError(403, 'The registry gateway of this machine is switched off'),
        );
      else {
        registry
          .handle(session, this.#meter(session, 'registry'), request, response)
          .catch(() => response.destroy());
      }
    });
  }

  #meter(session: EgressSession, name: GatewayName | 'registry'): Meter {
    const contact = {
      host: `gateway:${name}`,
      port: 0,
      verdict: 'allow',
      rule: 'gateway',
    } as const;
    return session.ledger.record(contact, this.#options.clock.nowMs());
  }
}

/** A unix socket's path has 107 bytes, and data folders can be deep: longer ones go through a descriptor. */
const MAX_SOCKET_PATH_BYTES = 100;

async function listenOn(server: Server, path: string): Promise<void> {
  const long = Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES;
  const folder = long ? await open(dirname(path), 'r') : undefined;
  // Held until the server closes: it then removes the socket by the same name.
  if (folder !== undefined) server.once('close', () => void folder.close());
  const name = folder === undefined ? path : `/proc/self/fd/${folder.fd}/${basename(path)}`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(name, resolve);
  });
}
