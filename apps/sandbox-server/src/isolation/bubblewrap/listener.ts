/**
 * The only way into a sandbox. The host creates the listening socket and passes it to the supervisor as a descriptor. Its
 * path is invisible inside, so nothing inside can replace it by another socket or by a link to one of the host's.
 */
import { closeSync, constants, openSync, renameSync, rmSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** sun_path has 108 bytes; libuv refuses more, and data folders can be deep. */
const MAX_SOCKET_PATH_BYTES = 100;

/** Calls `use` with a short form of `path`: itself, or a path through a descriptor of its folder. */
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

export interface Listener {
  /** Pass this to the child as one of its descriptors. */
  fd: number;
  /** Closes the host's copy; from then on only the supervisor accepts connections. */
  release(): void;
}

export async function openListener(path: string): Promise<Listener> {
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
  // libuv removes the bound path when the server closes; the renamed socket survives that.
  renameSync(temporary, path);
  return { fd: descriptorOf(server), release: () => void server.close() };
}

/** Node has no public API for a listening socket's descriptor; its handle has carried it since the first versions. */
function descriptorOf(server: Server): number {
  const handle = Reflect.get(server, '_handle') as { fd?: number } | null;
  const fd = handle?.fd;
  if (fd === undefined || fd < 0)
    throw new Error('this version of Node does not expose the descriptor of a socket');
  return fd;
}

export function connectListener(path: string): Promise<Socket> {
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
