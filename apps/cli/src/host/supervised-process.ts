import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { PartHealth, PartState } from '@ship/protocol';
import { RestartDelay } from './restart-delay.ts';

export interface ProcessSpec {
  name: string;
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Receives the process's output line by line. */
  onLine: (line: string) => void;
  /** The descriptor on which the process reports that it is ready. */
  controlFd: 3;
  /** Descriptors that the process inherits as 4, 5 and so on. */
  inherited?: readonly number[];
  isReady: (controlLine: string) => boolean;
}

const TERM_GRACE_MS = 1_500;

/** Keeps one process running: restarts it with backoff when it exits, and reports its health. */
export class SupervisedProcess {
  readonly #spec: ProcessSpec;
  readonly #delay = new RestartDelay();
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #state: PartState = 'down';
  #since = Date.now();
  #restarts = 0;
  #detail: string | null = null;
  #stopping = false;
  #lastLine = '';
  readonly #readyListeners: (() => void)[] = [];

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
  }

  health(): PartHealth {
    const since = new Date(this.#since).toISOString();
    return {
      name: this.#spec.name,
      state: this.#state,
      since,
      restarts: this.#restarts,
      detail: this.#detail,
    };
  }

  untilReady(): Promise<void> {
    return new Promise((resolve) => this.#readyListeners.push(resolve));
  }

  start(): void {
    const { command, args, cwd, env, inherited = [] } = this.#spec;
    this.#setState(this.#restarts === 0 ? 'starting' : 'restarting');
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...inherited],
    });
    this.#child = child;
    this.#forward(child.stdout);
    this.#forward(child.stderr);
    eachLine(child.stdio[this.#spec.controlFd] as Readable, (line) => {
      if (this.#spec.isReady(line)) this.#ready();
    });
    child.once('error', (error) => this.#ended(`cannot be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      this.#ended(signal === null ? `ended with code ${code}` : `ended by ${signal}`),
    );
  }

  /** Sends SIGTERM, after a grace period SIGKILL, and resolves when the process has exited. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    // workerd with an open WebSocket does not exit on SIGTERM.
    const insist = setTimeout(() => child.kill('SIGKILL'), TERM_GRACE_MS);
    await gone;
    clearTimeout(insist);
    this.#setState('down');
  }

  #ready(): void {
    this.#delay.started(Date.now());
    this.#setState('up');
    for (const listener of this.#readyListeners.splice(0)) listener();
  }

  #ended(how: string): void {
    if (this.#stopping || this.#child === undefined) return;
    this.#child = undefined;
    this.#restarts += 1;
    this.#detail = `Restarted ${this.#restarts} times; last time it ${how}${this.#lastLine && `: ${this.#lastLine}`}`;
    this.#setState('restarting');
    this.#timer = setTimeout(() => this.start(), this.#delay.next(Date.now()));
  }

  #setState(state: PartState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = Date.now();
  }

  #forward(stream: Readable | null): void {
    eachLine(stream, (line) => {
      this.#lastLine = line.slice(0, 300);
      this.#spec.onLine(line);
    });
  }
}

function eachLine(stream: Readable | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}
