/** Stands in front of the sandbox server and can be told to misbehave as a real service does. */
import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Fault {
  /** `METHOD /path` of the requests that are hit. */
  match: RegExp;
  /** Answered instead. `hold`: passed on, and the answer never comes back. */
  status: number | 'hold';
  /** How often; for ever when absent. */
  times?: number;
  /** Of a redirect. */
  location?: string;
}

export class Gate {
  fault: Fault | undefined;
  /** `METHOD /path` of everything that came. */
  readonly seen: string[] = [];
  readonly #server: Server;
  readonly #port: number;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  static async open(target: string): Promise<Gate> {
    const { port: targetPort } = new URL(target);
    const server = createServer((incoming, answer) => {
      const line = `${incoming.method} ${incoming.url}`;
      gate.seen.push(line);
      const fault = gate.#hit(line);
      if (typeof fault === 'number') {
        incoming.resume();
        const { location } = gate.fault ?? {};
        answer.writeHead(fault, {
          'content-type': 'application/json',
          connection: 'close',
          ...(location !== undefined && { location }),
        });
        answer.end(JSON.stringify({ code: fault, message: 'planted' }));
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
    const gate = new Gate(server, port);
    return gate;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Nobody listens any more, until `back`. */
  async leave(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async back(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  #hit(line: string): Fault['status'] | undefined {
    const { fault } = this;
    if (fault === undefined || !fault.match.test(line)) return undefined;
    if (fault.times !== undefined) {
      if (fault.times <= 0) return undefined;
      fault.times -= 1;
    }
    return fault.status;
  }
}
