/** A proxy between a client and a server on loopback that delays, cuts and drops data, reproducibly by a seed. */
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

export interface FlakyNetwork {
  port: number;
  cuts: () => number;
  /** Stops all faults. */
  heal(): void;
  close(): Promise<void>;
}

/** Cuts each connection after a random number of bytes, and delays data. */
export async function flakyNetwork(serverPort: number, seed: number): Promise<FlakyNetwork> {
  const random = randomOf(seed);
  const sockets = new Set<Socket>();
  let isHealthy = false;
  let cuts = 0;
  const server: Server = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1');
    let left = Math.floor(200 + random() * 6_000);
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    const carry = (from: Socket, to: Socket) => {
      sockets.add(from);
      from.on('data', (chunk) => {
        left -= chunk.length;
        if (!isHealthy && left < 0) {
          cuts += 1;
          // Sometimes only the first half arrives, as when a machine crashes.
          to.write(chunk.subarray(0, Math.floor(chunk.length * random())), cut);
          return;
        }
        from.pause();
        setTimeout(() => to.write(chunk, () => from.resume()), isHealthy ? 0 : random() * 15);
      });
      from.on('error', cut);
      from.on('close', () => {
        sockets.delete(from);
        cut();
      });
    };
    carry(near, far);
    carry(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cuts: () => cuts,
    heal: () => {
      isHealthy = true;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
