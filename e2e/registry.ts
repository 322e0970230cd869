/** A fake npm registry that holds all requests until it refuses them: tests must not depend on the network of the machine. */
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export class Registry {
  readonly #server: Server;
  readonly #waiting = new Set<ServerResponse>();
  #isRefusing = false;

  private constructor() {
    this.#server = createServer((_, answer) => {
      this.#waiting.add(answer);
      if (this.#isRefusing) this.#answerAll();
    });
  }

  static async open(): Promise<Registry> {
    const registry = new Registry();
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
    if (isRefusing) this.#answerAll();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answerAll(): void {
    for (const answer of this.#waiting) answer.writeHead(403).end('{}');
    this.#waiting.clear();
  }
}
