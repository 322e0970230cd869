/** A proxy in front of the sandbox server's API that injects faults. */
import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Fault {
  /** Matches `METHOD /path` of the requests that fail. */
  match: RegExp;
  /** The status of the reply; `hold` forwards the request and never returns the response. */
  status: number | 'hold';
  /** How many requests fail; without it, all. */
  times?: number;
  /** The `location` header of a redirect. */
  location?: string;
}

export class SandboxApiProxy {
  fault: Fault | undefined;
  /** `METHOD /path` of every request. */
  readonly seen: string[] = [];
  readonly #server: Server;
  readonly #port: number;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  static async open(target: string): Promise<SandboxApiProxy> {
    const { port: targetPort } = new URL(target);
    const server = createServer((incoming, answer) => {
      const line = `${incoming.method} ${incoming.url}`;
      proxy.seen.push(line);
      const fault = proxy.#faultOf(line);
      if (typeof fault === 'number') {
        incoming.resume();
        const { location } = proxy.fault ?? {};
        answer.writeHead(fault, {
          'content-type': 'application/json',
          connection: 'close',
          ...(location !== undefined && { location }),
        });
        answer.end(JSON.stringify({ code: fault, message: 'injected fault' }));
        return;
      }
      const { method, url, headers } = incoming;
      const passed = request({ host: '127.0.0.1', port: targetPort, method, path: url, headers });
      passed.on('response', (response) => {
        if (fault === 'hold') {
          response.resume();
          return;
        }
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      incoming.pipe(passed);
    });
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
    const proxy = new SandboxApiProxy(server, port);
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Refuses connections until `start`. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  #faultOf(line: string): Fault['status'] | undefined {
    const { fault } = this;
    if (fault === undefined || !fault.match.test(line)) return undefined;
    if (fault.times !== undefined) {
      if (fault.times <= 0) return undefined;
      fault.times -= 1;
    }
    return fault.status;
  }
}
