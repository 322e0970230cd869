/** A line that delays, stalls and breaks: a TCP proxy between a client and the server. */
import { type Server, type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

async function pass(before: Promise<void>, delayMs: number, write: () => void): Promise<void> {
  await before;
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  write();
}

export class BadLine {
  cuts = 0;
  isBad = true;
  readonly #server: Server;
  readonly #port: number;
  readonly #open = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  static async open(target: string, random: () => number): Promise<BadLine> {
    const { port: targetPort } = new URL(target);
    const server = createServer((near) => {
      const far = connect(Number(targetPort), '127.0.0.1');
      line.#open.add(near);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        // One after the other: a delayed byte is never overtaken.
        let sent = Promise.resolve();
        from.on('data', (chunk: Buffer) => {
          const delayMs = line.isBad ? random() * 40 : 0;
          // Sometimes only half of it arrives before the line breaks.
          const isLast = line.isBad && random() < 0.03;
          sent = pass(sent, delayMs, () => {
            if (to.destroyed) return;
            to.write(isLast ? chunk.subarray(0, Math.floor(chunk.length / 2)) : chunk);
            if (!isLast) return;
            line.cuts += 1;
            near.destroy();
            far.destroy();
          });
        });
        from.on('error', () => undefined);
        from.on('close', () => {
          line.#open.delete(near);
          to.destroy();
        });
      }
    });
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
    const line = new BadLine(server, port);
    return line;
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
