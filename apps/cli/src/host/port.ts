import { createServer } from 'node:net';
import { Failure, isErrno } from '../failure.ts';

const LOOPBACK = ['127.0.0.1', '::1'] as const;
const SUGGESTIONS_TRIED = 20;

/** Fails with a suggestion when another program uses the port on either loopback address. */
export async function requireFreePort(port: number): Promise<void> {
  if (await isFree(port)) return;
  const suggestion = await nextFreePort(port);
  const remedy =
    suggestion === undefined
      ? 'Choose another with --port N.'
      : `Choose another: npm start -- --port ${suggestion}`;
  throw new Failure(`port ${port} is in use by another program`, remedy);
}

async function nextFreePort(port: number): Promise<number | undefined> {
  for (
    let candidate = port + 1;
    candidate <= Math.min(port + SUGGESTIONS_TRIED, 65_535);
    candidate++
  ) {
    if (await isFree(candidate)) return candidate;
  }
  return undefined;
}

export async function isFree(port: number): Promise<boolean> {
  for (const host of LOOPBACK) if (!(await canListen(port, host))) return false;
  return true;
}

/** True also when the address does not exist: without IPv6, no program can listen on it. */
function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (isErrno(error, 'EADDRINUSE')) resolve(false);
      else if (isErrno(error, 'EADDRNOTAVAIL') || isErrno(error, 'EAFNOSUPPORT')) resolve(true);
      else if (isErrno(error, 'EACCES'))
        reject(new Failure(`port ${port} needs root`, 'Choose one above 1023 with --port N.'));
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Whether this machine has the IPv6 loopback address at all. */
export function hasIpv6Loopback(): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port: 0, host: '::1' }, () => server.close(() => resolve(true)));
  });
}
