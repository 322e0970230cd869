/**
 * The host owns the listening sockets of the user-facing port, and each workerd inherits them, so that the port stays bound while
 * workerd restarts. Otherwise another user of the machine could crash workerd (by exhausting its descriptors), bind the port,
 * and receive the cookie of an open page. Connections during a restart wait for the next workerd.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Failure } from '../failure.ts';
import type { ListenerAnswer, ListenerRequest } from './listener-thread.ts';
import { hasIpv6Loopback } from './port.ts';

export interface Listeners {
  ipv4: number;
  /** Undefined on a machine without IPv6. */
  ipv6: number | undefined;
  close(): Promise<void>;
}

/** The thread holds two sockets and runs no code. */
const SMALL = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export async function openListeners(port: number): Promise<Listeners> {
  const hosts = ['127.0.0.1', ...((await hasIpv6Loopback()) ? ['::1'] : [])];
  const thread = new Worker(new URL('./listener-thread.ts', import.meta.url), {
    workerData: { port, hosts } satisfies ListenerRequest,
    resourceLimits: SMALL,
  });
  // A thread that exits without an answer must not block the start.
  const ended = once(thread, 'exit').then(([code]) => ({
    message: `its thread ended with ${code}`,
  }));
  const [answer] = (await Promise.race([
    once(thread, 'message'),
    ended.then((reason) => [reason]),
  ])) as [ListenerAnswer];
  thread.unref();
  const close = async () => {
    await thread.terminate();
  };
  const [ipv4, ipv6] = 'fds' in answer ? answer.fds : [];
  if (ipv4 !== undefined) return { ipv4, ipv6, close };
  await close();
  const reason = 'message' in answer ? answer.message : 'no descriptor';
  throw new Failure(
    `port ${port} cannot be listened on: ${reason}`,
    'Choose another with --port N.',
  );
}
