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
import { handleConnect, handleForward, type EgressDeps } from './proxy.ts';
import type { EgressSession } from './session.ts';
import { upstreamProxies, type ProxySettings } from './upstream-proxy.ts';
import { refuse, type RegistryGateway } from '../registry/gateway.ts';
import { RegistryError } from '../registry/errors.ts';

interface EgressOptions extends Omit<EgressDeps, 'proxies'> {
  /** The proxy that this machine itself has to use; none by default. */
  upstreamProxy?: ProxySettings | undefined;
  /** Authorities that may sign that proxy's certificate; default: those that this machine trusts. */
  authorities?: Authorities | undefined;
  /** Folder of the sockets; each sandbox has its own folder in it, so that a sandbox mounts only its own. */
  folder: string;
  gateways: Partial<Record<GatewayName, GatewayUpstream | undefined>>;
  /** Undefined: disabled. */
  registry?: RegistryGateway | undefined;
  maxConnectionsPerSandbox: number;
}

interface ProxyListener {
  session: EgressSession;
  server: Server;
}

/** Egress of all sandboxes: one unix socket each, so that the socket itself identifies the sandbox. */
export class EgressServer {
  readonly #options: EgressOptions & EgressDeps;
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
    // Synchronous: the sandbox that is starting in parallel mounts this folder.
    mkdirSync(join(this.#options.folder, id), { recursive: true, mode: 0o711 });
    await rm(path, { force: true });
    await listenOn(server, path);
    // The sandbox runs under another uid. The folder's name is a 98-bit secret on a path that cannot be listed.
    await chmod(path, 0o666);
  }

  setPolicy(id: string, policy: SandboxPolicy): void {
    const listener = this.#listeners.get(id);
    if (listener === undefined) return;
    listener.session.policy = policy;
    // Connections that were allowed may no longer be: closing open tunnels makes clients reconnect under the new rules.
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

  /** Sandboxes that have a folder here, including those of an earlier server. */
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
          new RegistryError(403, 'The registry gateway is switched off on this machine'),
        );
      else {
        registry
          .handle(session, this.#meter(session, 'registry'), request, response)
          .catch(() => response.destroy());
      }
    });
  }

  #meter(session: EgressSession, name: GatewayName | 'registry'): Meter {
    const attempt = {
      host: `gateway:${name}`,
      port: 0,
      verdict: 'allow',
      rule: 'gateway',
    } as const;
    return session.ledger.record(attempt, this.#options.clock.nowMs());
  }
}

/** A unix socket's path is limited to 107 bytes, and data folders can be deep: longer ones go through a descriptor. */
const MAX_SOCKET_PATH_BYTES = 100;

async function listenOn(server: Server, path: string): Promise<void> {
  const long = Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES;
  const folder = long ? await open(dirname(path), 'r') : undefined;
  // Open until the server closes, which then removes the socket by the same name.
  if (folder !== undefined) server.once('close', () => void folder.close());
  const name = folder === undefined ? path : `/proc/self/fd/${folder.fd}/${basename(path)}`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(name, resolve);
  });
}
