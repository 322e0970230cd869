/**
 * Compiled code for the supervisor: it is started once, with no network but its own, does what first calls make it do,
 * and keeps the functions that it compiled for that. Without it every sandbox would compile the same code again.
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
import { connectDoor, makeDoor } from '../isolation/bubblewrap/door.ts';
import { findHostTools } from '../isolation/bubblewrap/host-tools.ts';

const TIMEOUT_MS = 20_000;
const FD = { config: 3, door: 4 } as const;
/** What V8 has seen only once it may compile lazily again. */
const ROUNDS = 3;

const CONFIG: EnvdConfig = {
  doorFd: FD.door,
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

/** `folder` holds the runtime. Whether it worked: without it sandboxes start more slowly, but they start. */
export async function keepCompiledCode(folder: string): Promise<boolean> {
  const doorPath = join(folder, 'door');
  const door = await makeDoor(doorPath);
  const child = startSupervisor(folder, door.fd);
  door.release();
  const exited = once(child, 'exit');
  exited.catch(() => {});
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  try {
    await Promise.race([callAll(doorPath), exited]);
    child.stdin?.end();
    const [code] = (await exited) as [number | null];
    return code === 0;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    rmSync(doorPath, { force: true });
  }
}

function startSupervisor(folder: string, doorFd: number): ChildProcess {
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
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', doorFd],
  });
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  const config = child.stdio[FD.config] as Writable | null;
  config?.on('error', () => {});
  config?.end(JSON.stringify(CONFIG));
  return child;
}

async function callAll(doorPath: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const call of CALLS) await callOnce(doorPath, call);
  }
}

async function callOnce(doorPath: string, { path, type, body }: WarmUpCall): Promise<void> {
  const socket = await connectDoor(doorPath);
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
