import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';

import type { IsolationBackend } from '../isolation/backend.ts';
import type { ConnectionCloser } from '../lifecycle/context.ts';
import type { SandboxRecord } from '../store/records.ts';
import { ENVD_PORT } from './route.ts';
import { tunnelTo } from './tunnel.ts';

/** Shorter than the keep-alive of common servers (Node: 5 s), so that none closes a connection under a new request. */
const IDLE_TIMEOUT_MS = 4_000;
const MAX_IDLE_SOCKETS = 32;

type Opener = (id: string, port: number) => Promise<Duplex>;

/** Keep-alive connections into one sandbox, one pool per port. */
class SandboxAgent extends Agent {
  readonly #id: string;
  readonly #open: Opener;

  constructor(id: string, open: Opener) {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE_SOCKETS, timeout: IDLE_TIMEOUT_MS });
    this.#id = id;
    this.#open = open;
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    void this.#connect(Number(options.port), callback ?? (() => undefined));
  }

  async #connect(
    port: number,
    callback: (error: Error | null, stream: Duplex) => void,
  ): Promise<void> {
    let socket: Duplex;
    try {
      socket = await this.#open(this.#id, port);
    } catch (error) {
      // Node's types want a stream beside the error; it is never read.
      (callback as (error: Error) => void)(
        error instanceof Error ? error : new Error(String(error)),
      );
      return;
    }
    // The peer closed: a half-open connection must not wait in the pool for the next request.
    socket.once('end', () => socket.destroy());
    callback(null, socket);
  }
}

interface Destroyable {
  destroy(): unknown;
}

interface Entry {
  agent: SandboxAgent;
  active: Set<Destroyable>;
}

/** All inbound connections, by sandbox: reused while it runs, closed when it pauses or ends. */
export class Connections implements ConnectionCloser {
  readonly #backend: IsolationBackend;
  readonly #find: (id: string) => SandboxRecord | undefined;
  readonly #entries = new Map<string, Entry>();

  constructor(backend: IsolationBackend, find: (id: string) => SandboxRecord | undefined) {
    this.#backend = backend;
    this.#find = find;
  }

  agent(id: string): Agent {
    return this.#entry(id).agent;
  }

  activeCount(id: string): number {
    return this.#entries.get(id)?.active.size ?? 0;
  }

  /** Tracks streams that must not outlive the sandbox's current run; call the result when they are done. */
  track(id: string, ...parts: Destroyable[]): () => void {
    const { active } = this.#entry(id);
    for (const part of parts) active.add(part);
    return () => {
      for (const part of parts) active.delete(part);
    };
  }

  /** A new connection: to envd itself, or through it to a port inside. */
  async open(id: string, port: number): Promise<Duplex> {
    const envd = await this.#backend.open(id);
    if (port === ENVD_PORT) return envd;
    const record = this.#find(id);
    const tunnel = await tunnelTo(envd, port, record?.accessToken);
    if (!record?.network?.httpsPorts?.includes(port)) return tunnel;
    // The guest chose its certificate, which proves nothing; the tunnel already leads to the right sandbox.
    return tlsConnect({ socket: tunnel, rejectUnauthorized: false });
  }

  dropConnections(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    for (const part of entry.active) part.destroy();
    entry.agent.destroy();
  }

  dropAll(): void {
    for (const id of this.#entries.keys()) this.dropConnections(id);
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const agent = new SandboxAgent(id, (sandboxId, port) => this.open(sandboxId, port));
    const entry: Entry = { agent, active: new Set() };
    this.#entries.set(id, entry);
    return entry;
  }
}
