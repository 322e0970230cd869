/**
 * Compiled code for the supervisor: a build-time run, without any network, makes the calls that first clients make and
 * stores the functions that V8 compiled for them. Without it every sandbox would compile the same code again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { EnvdConfig } from '../envd/config.ts';
import { encodeFrame } from '../envd/connect/envelope.ts';
import { SUPERVISOR_FLAGS } from '../isolation/bubblewrap/arguments.ts';
import { connectListener, openListener } from '../isolation/bubblewrap/listener.ts';
import { findHostTools } from '../isolation/bubblewrap/host-tools.ts';

const TIMEOUT_MS = 20_000;
const FD = { config: 3, listener: 4 } as const;
/** V8 may drop functions that ran only once, and compile them lazily again. */
const ROUNDS = 3;

const CONFIG: EnvdConfig = {
  listenerFd: FD.listener,
  accessToken: undefined,
  env: {},
  separateRoot: false,
  egressSocket: '/nowhere/egress.sock',
  limits: { memoryMb: 256, cpuCount: 1, diskMb: 64 },
};

const CALLS = [
  {
    path: '/process.Process/Start',
    type: 'application/connect+json',
    body: encodeFrame({ process: { cmd: '/bin/echo', args: ['ready'], cwd: '/' }, stdin: false }),
  },
  {
    path: '/filesystem.Filesystem/Stat',
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ path: '/' })),
  },
];
type WarmUpCall = (typeof CALLS)[number];

/** Returns whether it worked: without the cache sandboxes start more slowly, but they start. `folder` holds the runtime. */
export async function buildCodeCache(folder: string): Promise<boolean> {
  const socketPath = join(folder, 'door');
  const listener = await openListener(socketPath);
  const child = startSupervisor(folder, listener.fd);
  listener.release();
  const exited = once(child, 'exit');
  exited.catch(() => {});
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  try {
    await Promise.race([callAll(socketPath), exited]);
    child.stdin?.end();
    const [code] = (await exited) as [number | null];
    return code === 0;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    rmSync(socketPath, { force: true });
  }
}

function startSupervisor(folder: string, listenerFd: number): ChildProcess {
  const view = [
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--bind',
    folder,
    folder,
  ];
  const command = [join(folder, 'envd'), ...SUPERVISOR_FLAGS, join(folder, 'envd.cjs')];
  const given = [String(FD.config), join(folder, 'supervisor.cache')];
  const args = ['--unshare-all', '--die-with-parent', ...view, '--', ...command, ...given];
  const child = spawn(findHostTools().bwrap, args, {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', listenerFd],
  });
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  const config = child.stdio[FD.config] as Writable | null;
  config?.on('error', () => {});
  config?.end(JSON.stringify(CONFIG));
  return child;
}

async function callAll(socketPath: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const call of CALLS) await callOnce(socketPath, call);
  }
}

async function callOnce(socketPath: string, { path, type, body }: WarmUpCall): Promise<void> {
  const socket = await connectListener(socketPath);
  try {
    await new Promise<void>((resolve, reject) => {
      const call = request({
        createConnection: () => socket,
        method: 'POST',
        path,
        headers: {
          'content-type': type,
          'content-length': body.length,
          authorization: `Basic ${Buffer.from('root:').toString('base64')}`,
        },
      });
      call.once('error', reject);
      call.once('response', (response) => {
        response.resume().once('end', resolve).once('error', reject);
      });
      call.end(body);
    });
  } finally {
    socket.destroy();
  }
}
