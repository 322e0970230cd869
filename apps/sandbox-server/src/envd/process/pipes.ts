/** A process whose input and output are pipes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { RpcError } from '../connect/errors.ts';
import { Fanout, type Output } from './fanout.ts';
import { endEvent, type EndEvent, type RunningProcess, type StartOptions } from './types.ts';

/** When memory runs out, the kernel should kill a command and not the supervisor that would report it. */
const OOM_SCORE = 500;
/** Grace period after a kill for output that is still in the pipe. */
const DRAIN_AFTER_KILL_MS = 50;

export function preferAsOomVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(OOM_SCORE));
  } catch {
    // Already gone, or refused by the kernel: the limits still apply.
  }
}

export async function startWithPipes(
  options: StartOptions,
  wantsStdin: boolean,
): Promise<RunningProcess> {
  const child = spawn(options.config.cmd, options.config.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: [wantsStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // Its own session: a signal to the command's group must never reach the supervisor.
    detached: true,
    ...options.owner,
  });
  const pid = child.pid;
  if (pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw new RpcError(
      'invalid_argument',
      `error starting process '${options.config.cmd}': ${error.message}`,
    );
  }
  preferAsOomVictim(pid);
  return new PipedProcess(pid, child, options);
}

class PipedProcess implements RunningProcess {
  readonly pid: number;
  readonly config;
  readonly tag;
  readonly output = new Fanout();
  readonly ended: Promise<EndEvent>;
  readonly #child: ChildProcess;
  #wasKilled = false;

  constructor(pid: number, child: ChildProcess, options: StartOptions) {
    this.pid = pid;
    this.config = options.config;
    this.tag = options.tag;
    this.#child = child;
    child.stdin?.on('error', () => {});
    this.#pump(child.stdout, (bytes) => ({ stdout: bytes.toString('base64') }));
    this.#pump(child.stderr, (bytes) => ({ stderr: bytes.toString('base64') }));
    this.ended = this.#end();
  }

  #pump(stream: Readable | null, encode: (bytes: Buffer) => Output): void {
    stream?.on('data', (bytes: Buffer) => {
      const busy = this.output.publish(encode(bytes));
      if (busy === undefined) return;
      stream.pause();
      void busy.then(() => stream.resume());
    });
    stream?.on('error', () => {});
  }

  /** Resolves when all output has arrived; a killed process ends promptly, even if a grandchild keeps its pipes open. */
  #end(): Promise<EndEvent> {
    return new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(endEvent(code, signal)));
      this.#child.once('exit', (code, signal) => {
        if (this.#wasKilled) setTimeout(() => resolve(endEvent(code, signal)), DRAIN_AFTER_KILL_MS);
      });
    });
  }

  async write(input: { stdin: Buffer } | { pty: Buffer }): Promise<void> {
    if (!('stdin' in input)) {
      throw new RpcError('invalid_argument', 'the process has no terminal: send stdin, not pty');
    }
    const { stdin } = this.#child;
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
    this.#child.stdin?.end();
  }

  resize(): void {
    throw new RpcError('failed_precondition', 'tty not assigned to process');
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#wasKilled = true;
    signalGroup(this.pid, signal);
  }
}

/** The session's first process group: a shell's children are signalled with the shell. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // No such group (the process has left it): try the process alone. Or it is already gone.
    }
  }
}
