/** A process whose input and output are pipes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { RpcError } from '../connect/errors.ts';
import { Fanout, type Output } from './fanout.ts';
import { Spawner, type Exit, type Spawned } from './spawner.ts';
import { endEvent, type EndEvent, type RunningProcess, type StartOptions } from './types.ts';

/** When memory runs out, the kernel should take a command and not the supervisor that would report it. */
const OOM_SCORE = 500;
/** After a kill, output that is still in the pipe has this long to arrive. */
const DRAIN_AFTER_KILL_MS = 50;

export function preferAsOomVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(OOM_SCORE));
  } catch {
    // Already gone, or a kernel that refuses: the limits still hold.
  }
}

/** A process as it was started, in one way or the other. */
interface Child extends Spawned {
  stdin: Writable | null;
}

const spawner = new Spawner();

export async function startWithPipes(
  options: StartOptions,
  wantsStdin: boolean,
): Promise<RunningProcess> {
  const spawned = wantsStdin ? undefined : await spawner.start(options);
  const child = spawned === undefined ? await spawnHere(options, wantsStdin) : spawned;
  return new PipedProcess({ stdin: null, ...child }, options);
}

async function spawnHere(options: StartOptions, wantsStdin: boolean): Promise<Child> {
  const child = spawn(options.config.cmd, options.config.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: [wantsStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // Its own session: a signal to the command's group must never reach the supervisor.
    detached: true,
    ...options.owner,
  });
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) {
    const [error] = (await once(child, 'error')) as [Error];
    throw new RpcError(
      'invalid_argument',
      `error starting process '${options.config.cmd}': ${error.message}`,
    );
  }
  preferAsOomVictim(pid);
  const exited = new Promise<Exit>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  return { pid, stdin, stdout, stderr, exited };
}

class PipedProcess implements RunningProcess {
  readonly pid: number;
  readonly config;
  readonly tag;
  readonly output = new Fanout();
  readonly ended: Promise<EndEvent>;
  readonly #stdin: Writable | null;
  #wasKilled = false;

  constructor(child: Child, options: StartOptions) {
    this.pid = child.pid;
    this.config = options.config;
    this.tag = options.tag;
    this.#stdin = child.stdin;
    child.stdin?.on('error', () => {});
    const streams = [
      this.#pump(child.stdout, (bytes) => ({ stdout: bytes.toString('base64') })),
      this.#pump(child.stderr, (bytes) => ({ stderr: bytes.toString('base64') })),
    ];
    this.ended = this.#end(child.exited, Promise.all(streams));
  }

  /** Settles when all has come. */
  #pump(stream: Readable, encode: (bytes: Buffer) => Output): Promise<void> {
    stream.on('data', (bytes: Buffer) => {
      const busy = this.output.publish(encode(bytes));
      if (busy === undefined) return;
      stream.pause();
      void busy.then(() => stream.resume());
    });
    stream.on('error', () => {});
    // A command that said nothing may have ended before anybody asked.
    if (stream.readableEnded || stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      stream.once('end', resolve);
      stream.once('close', resolve);
    });
  }

  /** Normally when all output has come; a killed process ends at once, though a grandchild may hold its pipes open. */
  async #end(exited: Promise<Exit>, drained: Promise<unknown>): Promise<EndEvent> {
    const { code, signal } = await exited;
    const late = () => new Promise((resolve) => setTimeout(resolve, DRAIN_AFTER_KILL_MS));
    await (this.#wasKilled ? Promise.race([drained, late()]) : drained);
    return endEvent(code, signal);
  }

  async write(input: { stdin: Buffer } | { pty: Buffer }): Promise<void> {
    if (!('stdin' in input)) {
      throw new RpcError('invalid_argument', 'the process has no terminal: send stdin, not pty');
    }
    const stdin = this.#stdin;
    if (stdin === null || !stdin.writable) {
      throw new RpcError('failed_precondition', 'stdin not enabled or closed');
    }
    await new Promise<void>((resolve, reject) => {
      stdin.write(input.stdin, (error) => {
        if (error)
          reject(new RpcError('failed_precondition', `error writing to stdin: ${error.message}`));
        else resolve();
      });
    });
  }

  async closeStdin(): Promise<void> {
    this.#stdin?.end();
  }

  resize(): void {
    throw new RpcError('failed_precondition', 'tty not assigned to process');
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#wasKilled = true;
    signalGroup(this.pid, signal);
  }
}

/** The whole session's first group: a shell's children go with the shell. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // No such group (it was left by the process), then the process alone; or it is gone already.
    }
  }
}
