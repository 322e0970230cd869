/** Starts one sandbox's processes and waits until its supervisor answers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { EnvdConfig } from '../../envd/config.ts';
import { FD } from './arguments.ts';
import { connectDoor, makeDoor } from './door.ts';
import type { HostTools } from './host-tools.ts';
import { idMap, type Identity } from './identity.ts';
import { launchCommand } from './launch-script.ts';
import { identify, type ProcessIdentity } from './procfs.ts';

export interface Launch {
  tools: HostTools;
  identity: Identity;
  script: string;
  bwrapArguments: readonly string[];
  seccompFile: string;
  doorPath: string;
  config: EnvdConfig;
  timeoutMs: number;
}

export interface Launched {
  monitor: ProcessIdentity;
  init: ProcessIdentity;
  child: ChildProcess;
}

/** Enough for any message of bubblewrap; a flood must not fill the server's memory. */
const MAX_STDERR_BYTES = 16_384;

export async function launch(request: Launch): Promise<Launched> {
  const door = await makeDoor(request.doorPath);
  const seccomp = openSync(request.seccompFile, 'r');
  const [program, ...args] = launchCommand(request.tools, request.identity, request.script);
  if (program === undefined) throw new Error('empty launch command');
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      // Its own session and no stdio of ours: the sandbox must live on when this server is killed.
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', seccomp, door.fd, 'pipe', 'pipe', 'pipe'],
    });
  } finally {
    closeSync(seccomp);
    door.release();
  }
  return await superviseStart(child, request);
}

async function superviseStart(child: ChildProcess, request: Launch): Promise<Launched> {
  const stderr = collect(child.stderr, MAX_STDERR_BYTES);
  const ended = failure(child, stderr);
  let init: ProcessIdentity | undefined;
  const timer = setTimeout(() => killAll(child, init), request.timeoutMs);
  try {
    const pipe = (fd: number) => child.stdio[fd] as Duplex;
    feed(pipe(FD.args), request.bwrapArguments.map((argument) => `${argument}\0`).join(''));
    feed(pipe(FD.config), JSON.stringify(request.config));
    init = await Promise.race([readChildPid(pipe(FD.info)), ended]);
    if (request.identity.mode === 'root') {
      writeFileSync(`/proc/${init.pid}/uid_map`, idMap(request.identity.makerUid));
      writeFileSync(`/proc/${init.pid}/gid_map`, idMap(request.identity.makerUid));
    }
    feed(pipe(FD.block), '\n');
    const monitor = identify(child.pid ?? -1);
    if (monitor === undefined) await ended;
    await Promise.race([
      Promise.all([answersHealth(request.doorPath), forbidNestedUsers(request, init.pid)]),
      ended,
    ]);
    releaseChild(child);
    return { monitor: monitor ?? init, init, child };
  } catch (error) {
    killAll(child, init);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Writes all and closes; a child that is already gone is reported by `failure`, not by a broken pipe here. */
function feed(stream: Writable, text: string): void {
  stream.on('error', () => {});
  stream.end(text);
}

function collect(stream: Readable | null, maxBytes: number): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8').trim();
}

function failure(child: ChildProcess, stderr: () => string): Promise<never> {
  const promise = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`cannot start a sandbox: ${error.message}`)));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      // The last words are still in the pipe when the exit is reported.
      setTimeout(() => {
        reject(new Error(`the sandbox ended while starting (${how}): ${stderr() || 'no message'}`));
      }, 10);
    });
  });
  promise.catch(() => {});
  return promise;
}

/** bubblewrap writes one JSON object with the pid of the new pid 1, then waits for its id maps. */
async function readChildPid(info: Readable): Promise<ProcessIdentity> {
  let text = '';
  // Leaving the loop must not close the pipe: bubblewrap writes more to it, and would die of SIGPIPE.
  for await (const chunk of info.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const match = /"child-pid":\s*(\d+)/.exec(text);
    const identity = match === null ? undefined : identify(Number(match[1]));
    if (identity !== undefined) return identity;
  }
  // The stream ended without a pid: bubblewrap is exiting, and its message says why.
  return await new Promise<never>(() => {});
}

/** A health answer through the door. The socket queues the connection until the supervisor listens: no polling. */
async function answersHealth(doorPath: string): Promise<void> {
  const socket = await connectDoor(doorPath);
  try {
    socket.write('GET /health HTTP/1.1\r\nHost: envd\r\nConnection: close\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    if (!chunk.toString('latin1').startsWith('HTTP/1.1 204')) {
      throw new Error(`the supervisor is not healthy: ${chunk.toString('latin1', 0, 80)}`);
    }
  } finally {
    socket.destroy();
  }
}

/** What --disable-userns does, for a namespace whose map came from outside: no user namespace can be made in it. */
async function forbidNestedUsers(request: Launch, initPid: number): Promise<void> {
  if (request.identity.mode !== 'root') return;
  const { nsenter, sh } = request.tools;
  const command = 'echo 0 > /proc/sys/user/max_user_namespaces';
  const child = spawn(nsenter, ['--user', '--target', String(initPid), '--', sh, '-c', command], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr = collect(child.stderr, MAX_STDERR_BYTES);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`cannot forbid nested user namespaces: ${stderr()}`);
}

/** Lets go of everything that would tie the child to this process's life. */
function releaseChild(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

/** The launcher's group, and pid 1 inside, which has left that group for a session of its own. */
function killAll(child: ChildProcess, init: ProcessIdentity | undefined): void {
  const groups = child.pid === undefined ? [] : [-child.pid];
  for (const target of init === undefined ? groups : [...groups, init.pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Already gone.
    }
  }
}
