import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import type {
  Capabilities,
  IsolationBackend,
  Presence,
  SandboxSpec,
  Usage,
} from '../../src/isolation/backend.ts';

/**
 * A back end that isolates nothing, for unit tests of the layers above: presence is a string, envd is a small HTTP
 * server on loopback that echoes requests, and `CONNECT` reaches a second one.
 */
export class FakeBackend implements IsolationBackend {
  readonly specs = new Map<string, SandboxSpec>();
  readonly presences = new Map<string, Presence>();
  readonly layers = new Set<string>();
  readonly calls: string[] = [];
  /** Makes the next call of that name fail. */
  readonly failures = new Map<string, Error>();
  readonly requests: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  /** Answers every request with a redirect, from envd and from the port alike. */
  redirectTo: string | undefined;
  #onExit: (id: string) => void = () => undefined;
  #onLimit: (id: string, reason: string) => void = () => undefined;
  readonly #envd: Server;

  constructor() {
    this.#envd = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        this.requests.push({ url: request.url ?? '', headers: request.headers, body });
        if (request.url === '/hang') return;
        if (this.redirectTo !== undefined) {
          response.writeHead(307, { location: this.redirectTo });
          response.end('elsewhere');
          return;
        }
        response.writeHead(200, { 'x-inside': 'yes' });
        response.end(`inside ${request.method} ${request.url} ${body}`);
      });
    });
    this.#envd.on('connect', (request, client: Duplex) => {
      if (request.url !== '127.0.0.1:8080') {
        client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
        return;
      }
      const port = (this.#envd.address() as AddressInfo).port;
      const inner = connect(port, '127.0.0.1');
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(inner).pipe(client);
      client.on('error', () => inner.destroy());
      client.on('close', () => inner.destroy());
    });
    this.#envd.on('upgrade', (request, socket: Duplex) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n',
      );
      socket.write(`upgraded ${request.url};`);
      socket.pipe(socket);
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#envd.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.#envd.closeAllConnections();
    this.#envd.close();
  }

  #call(name: string, id: string): void {
    this.calls.push(`${name} ${id}`);
    const failure = this.failures.get(name);
    this.failures.delete(name);
    if (failure !== undefined) throw failure;
  }

  async probe(): Promise<Capabilities> {
    const limits = { memory: 'none', cpu: 'none', processes: 'none', disk: 'none' } as const;
    return { backend: 'fake', limits, separateRoot: false, notes: [] };
  }

  async start(spec: SandboxSpec): Promise<void> {
    this.#call('start', spec.id);
    this.specs.set(spec.id, spec);
    this.presences.set(spec.id, 'running');
  }

  async presence(id: string): Promise<Presence> {
    return this.presences.get(id) ?? 'absent';
  }

  async freeze(id: string): Promise<void> {
    this.#call('freeze', id);
    this.presences.set(id, 'frozen');
  }

  async thaw(id: string): Promise<void> {
    this.#call('thaw', id);
    this.presences.set(id, 'running');
  }

  async stop(id: string): Promise<void> {
    this.#call('stop', id);
    this.presences.set(id, 'stopped');
  }

  async destroy(id: string): Promise<void> {
    this.#call('destroy', id);
    this.presences.delete(id);
  }

  async capture(id: string, layer: string): Promise<void> {
    this.#call('capture', id);
    this.layers.add(layer);
  }

  async removeLayer(layer: string): Promise<void> {
    this.#call('removeLayer', layer);
    this.layers.delete(layer);
  }

  async usage(): Promise<Usage> {
    const memory = { memoryUsedBytes: 1_000, memoryCacheBytes: 100 };
    return { cpuPercent: 5, ...memory, diskUsedBytes: 10, diskTotalBytes: 100, processes: 3 };
  }

  async open(id: string): Promise<Duplex> {
    if (this.presences.get(id) !== 'running') throw new Error('not running');
    const socket = connect((this.#envd.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => socket.destroy());
    return socket;
  }

  async list(): Promise<string[]> {
    return [...this.presences.keys()];
  }

  onExit(listener: (id: string) => void): void {
    this.#onExit = listener;
  }

  onLimit(listener: (id: string, reason: string) => void): void {
    this.#onLimit = listener;
  }

  exceed(id: string, reason: string): void {
    this.#onLimit(id, reason);
  }

  async release(): Promise<void> {}

  /** Simulates the death of its processes, as from a lack of memory. */
  die(id: string): void {
    this.presences.set(id, 'stopped');
    this.#onExit(id);
  }
}
