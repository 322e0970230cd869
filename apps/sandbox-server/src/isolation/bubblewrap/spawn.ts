/** Starts one sandbox's processes and waits until its supervisor is ready. */
import type { ChildProcess } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import { READY_LINE, type EnvdConfig } from '../../envd/config.ts';
import { FD } from './arguments.ts';
import type { Identity } from './identity.ts';
import type { Launchers } from './launchers.ts';
import { identify, type ProcessIdentity } from './procfs.ts';

export interface Launch {
  identity: Identity;
  /** From launch-plan.ts. */
  plan: readonly string[];
  bwrapArguments: readonly string[];
  socketPath: string;
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

/** Terminates a plan: a launcher whose server was killed mid-write must do nothing. */
const PLAN_END = 'end';

export async function launch(launchers: Launchers, request: Launch): Promise<Launched> {
  const { child, socketPath } = await launchers.take();
  try {
    renameSync(socketPath, request.socketPath);
  } catch (error) {
    rmSync(socketPath, { force: true });
    killAll(child, undefined);
    throw error;
  }
  return await superviseStart(child, request);
}

const terminated = (texts: readonly string[]): string => texts.map((text) => `${text}\0`).join('');

async function superviseStart(child: ChildProcess, request: Launch): Promise<Launched> {
  const stderr = collect(child.stderr, MAX_STDERR_BYTES);
  const ended = failure(child, stderr);
  let init: ProcessIdentity | undefined;
  const timer = setTimeout(() => killAll(child, init), request.timeoutMs);
  try {
    const pipe = (fd: number) => child.stdio[fd] as Duplex;
    feed(pipe(FD.plan), terminated([...request.plan, PLAN_END]));
    feed(pipe(FD.args), terminated(request.bwrapArguments));
    feed(pipe(FD.config), JSON.stringify(request.config));
    const helper = followHelper(pipe(FD.helper));
    // bubblewrap would wait forever for a helper that failed: kill it, and report its exit.
    const orEnded = <T>(step: Promise<T>): Promise<T> =>
      Promise.race([
        step.catch(() => {
          killAll(child, init);
          return ended;
        }),
        ended,
      ]);
    init = await orEnded(helper.init);
    if (request.identity.mode !== 'single') await orEnded(helper.mapped);
    feed(pipe(FD.block), '\n');
    const monitor = identify(child.pid ?? -1);
    if (monitor === undefined) await ended;
    await Promise.race([Promise.all([untilReady(child.stderr), helper.sealed]), ended]);
    releaseChild(child);
    return { monitor: monitor ?? init, init, child };
  } catch (error) {
    killAll(child, init);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Writes everything and closes; `failure` reports a child that is already gone, not a broken pipe here. */
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
      // The last output is still in the pipe when the exit is reported.
      setTimeout(() => {
        reject(new Error(`the sandbox ended while starting (${how}): ${stderr() || 'no message'}`));
      }, 10);
    });
  });
  promise.catch(() => {});
  return promise;
}

/**
 * Resolves when the supervisor reports that it runs. Faster than a request, which it would answer only after it has loaded
 * its server and set up the egress listeners; connections made from now on wait in the socket's queue until then.
 */
function untilReady(stderr: Readable | null): Promise<void> {
  return new Promise((resolve) => {
    let text = '';
    stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes(READY_LINE)) resolve();
    });
  });
}

/**
 * The launcher's helper reports its progress: pid 1 of the sandbox exists, its id maps are written, further user namespaces
 * are forbidden in it. bubblewrap waits for the maps, not for the seal.
 */
function followHelper(line: Duplex) {
  const init = Promise.withResolvers<ProcessIdentity>();
  const mapped = Promise.withResolvers<void>();
  const sealed = Promise.withResolvers<void>();
  let received = '';
  line.on('error', () => {});
  line.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    const pid = /^pid (\d+)\n/.exec(received)?.[1];
    const identity = pid === undefined ? undefined : identify(Number(pid));
    if (identity !== undefined) init.resolve(identity);
    if (received.includes('\nmapped\n')) mapped.resolve();
    if (received.includes('\nsealed\n')) sealed.resolve();
  });
  // Its error message is on the launcher's stderr.
  const steps = [init, mapped, sealed];
  line.once('close', () => {
    for (const step of steps) step.reject(new Error('the launcher gave up'));
  });
  for (const { promise } of steps) promise.catch(() => {});
  return { init: init.promise, mapped: mapped.promise, sealed: sealed.promise };
}

/** Detaches the child completely, so that it outlives this process. */
function releaseChild(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

/** The launcher's process group, and pid 1 inside, which has left that group for its own session. */
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
