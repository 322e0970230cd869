/**
 * A proxy between the browser and the server. It forwards everything unchanged and can inject messages into a session's
 * socket, as if an agent were working: so the web app has the real server, and a stream of known speed.
 */
import { type IncomingMessage, type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

const SESSION_SOCKET = /^\/api\/sessions\/[^/]+\/socket/;
const MAX_BUFFERED_BYTES = 500_000;

export class StreamInjector {
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #watchers = new Set<WebSocket>();

  private constructor(port: number) {
    this.#target = { host: `ship.localhost:${port}`, port };
    this.#server = createServer((from, to) => {
      const { port: targetPort } = this.#target;
      const { url = '/', method = 'GET' } = from;
      const headers = this.#headers(from);
      const passed = request({ host: '127.0.0.1', port: targetPort, path: url, method, headers });
      passed.on('response', (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
      });
      passed.on('error', () => to.destroy());
      from.pipe(passed);
    });
    this.#server.on('upgrade', (from, socket, head) => this.#upgrade(from, socket, head));
  }

  static async before(port: number): Promise<StreamInjector> {
    const injector = new StreamInjector(port);
    await new Promise<void>((resolve) => injector.#server.listen(0, '127.0.0.1', resolve));
    return injector;
  }

  get url(): string {
    return `http://ship.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Sends a message as if it came from the session's object. Waits for a browser that does not keep up. */
  async push(message: unknown): Promise<void> {
    const text = JSON.stringify(message);
    for (const watcher of this.#watchers) {
      while (watcher.bufferedAmount > MAX_BUFFERED_BYTES && watcher.readyState === watcher.OPEN)
        await new Promise((resolve) => setTimeout(resolve, 5));
      watcher.send(text);
    }
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The server must see requests for its own host name. */
  #headers({ headers }: IncomingMessage): Record<string, string> {
    const { host } = this.#target;
    const kept = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
    );
    const own = headers.origin === undefined ? {} : { origin: `http://${host}` };
    return { ...Object.fromEntries(kept), host, ...own };
  }

  #upgrade(from: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { host, port } = this.#target;
    const upstream = new WebSocket(`ws://127.0.0.1:${port}${from.url ?? '/'}`, {
      headers: { host, origin: `http://${host}`, cookie: from.headers.cookie ?? '' },
    });
    upstream.on('error', () => socket.destroy());
    upstream.once('open', () => {
      this.#sockets.handleUpgrade(from, socket, head, (client) => {
        const isWatcher = SESSION_SOCKET.test(from.url ?? '');
        if (isWatcher) this.#watchers.add(client);
        upstream.on('message', (data, isBinary) => client.send(data, { binary: isBinary }));
        client.on('message', (data, isBinary) => upstream.send(data, { binary: isBinary }));
        upstream.on('close', () => client.close());
        client.on('error', () => client.terminate());
        client.on('close', () => {
          this.#watchers.delete(client);
          upstream.close();
        });
      });
    });
  }
}
