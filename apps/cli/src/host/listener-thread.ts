/** A worker thread (listeners.ts) that binds the port, reports the descriptors, and sleeps until it is terminated. */
import { type Server, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface ListenerRequest {
  port: number;
  hosts: string[];
}

export type ListenerAnswer = { fds: number[] } | { code: string; message: string };

const { port, hosts } = workerData as ListenerRequest;

function listen(host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

/** Node has no public API for a server's descriptor. */
const descriptorOf = (server: Server): number =>
  (server as unknown as Record<'_handle', { fd: number }>)['_handle'].fd;

const answer = (value: ListenerAnswer): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a window's method of the same name needs one
  parentPort?.postMessage(value);
};

try {
  const servers: Server[] = [];
  for (const host of hosts) servers.push(await listen(host));
  answer({ fds: servers.map(descriptorOf) });
  // This thread must never return to its event loop: it would accept workerd's connections.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  answer({ code, message });
}
