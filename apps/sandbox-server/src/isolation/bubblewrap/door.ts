/**
 * The one way in. The listening socket is made here, on the host, and handed to the supervisor as a descriptor: its
 * path is invisible inside, so nothing inside can put another socket, or a link to one of the host's, in its place.
 */
import { closeSync, constants, openSync, renameSync, rmSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** sun_path has 108 bytes; libuv refuses more, and data folders can be deep. */
const MAX_SOCKET_PATH_BYTES = 100;

/** Calls `use` with a short name of `path`: itself, or a way through a descriptor of its folder. */
function withShortPath<T>(
  path: string,
  use: (short: string) => { result: T; settled: Promise<unknown> },
): T {
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return use(path).result;
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { result, settled } = use(`/proc/self/fd/${folder}/${basename(path)}`);
    const close = () => closeSync(folder);
    settled.then(close, close);
    return result;
  } catch (error) {
    closeSync(folder);
    throw error;
  }
}

export interface Door {
  /** Give this to the child as one of its descriptors. */
  fd: number;
  /** Ends the host's own hold on it; from then on only the supervisor accepts. */
  release(): void;
}

export async function makeDoor(path: string): Promise<Door> {
  const temporary = join(dirname(path), `${basename(path)}.new`);
  rmSync(temporary, { force: true });
  const server = createServer((socket) => socket.destroy());
  await withShortPath(temporary, (short) => {
    const listening = new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: short, backlog: 1024 }, resolve);
    });
    return { result: listening, settled: listening };
  });
  // libuv removes the path that it bound when the server closes: under its final name the socket survives that.
  renameSync(temporary, path);
  return { fd: descriptorOf(server), release: () => void server.close() };
}

/** Node has no public way to a listening socket's descriptor; the handle has carried it since its first versions. */
function descriptorOf(server: Server): number {
  const handle = Reflect.get(server, '_handle') as { fd?: number } | null;
  const fd = handle?.fd;
  if (fd === undefined || fd < 0)
    throw new Error('this version of Node does not show the descriptor of a socket');
  return fd;
}

export function connectDoor(path: string): Promise<Socket> {
  return withShortPath(path, (short) => {
    const socket = connect({ path: short, allowHalfOpen: true });
    const connected = new Promise<Socket>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
    return { result: connected, settled: connected };
  });
}
