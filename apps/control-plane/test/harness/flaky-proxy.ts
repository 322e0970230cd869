/** A TCP proxy between a client and the server that delays data and cuts connections. */
import { type Server, type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

async function pass(before: Promise<void>, delayMs: number, write: () => void): Promise<void> {
  await before;
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  write();
}

export class FlakyProxy {
  cuts = 0;
  isFaulty = true;
  readonly #server: Server;
  readonly #port: number;
  readonly #open = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  static async open(target: string, random: () => number): Promise<FlakyProxy> {
    const { port: targetPort } = new URL(target);
    const server = createServer((near) => {
      const far = connect(Number(targetPort), '127.0.0.1');
      proxy.#open.add(near);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        // Chunks are written one after the other, so that none overtakes a delayed one.
        let sent = Promise.resolve();
        from.on('data', (chunk: Buffer) => {
          const delayMs = proxy.isFaulty ? random() * 40 : 0;
          // The last chunk before a cut arrives by half.
          const isLast = proxy.isFaulty && random() < 0.03;
          sent = pass(sent, delayMs, () => {
            if (to.destroyed) return;
            to.write(isLast ? chunk.subarray(0, Math.floor(chunk.length / 2)) : chunk);
            if (!isLast) return;
            proxy.cuts += 1;
            near.destroy();
            far.destroy();
          });
        });
        from.on('error', () => undefined);
        from.on('close', () => {
          proxy.#open.delete(near);
          to.destroy();
        });
      }
    });
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
    const proxy = new FlakyProxy(server, port);
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }
}
