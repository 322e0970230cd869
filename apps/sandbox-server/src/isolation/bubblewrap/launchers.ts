/**
 * Prewarms one launcher (launch.pl) that waits for its plan. Forking costs the server five milliseconds for its page
 * tables, and Perl needs three more: a cold start finds both already done. A waiting launcher belongs to no sandbox yet,
 * has joined and mounted nothing, and exits with the server.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { openListener } from './listener.ts';
import { LAUNCHER } from './launch-plan.ts';

export interface Launcher {
  child: ChildProcess;
  /** Path of its listening socket, which moves to the folder of its sandbox. */
  socketPath: string;
}

export interface LaunchersOptions {
  perl: string;
  seccompFile: string;
  /** For the sockets of waiting launchers, and nothing else. */
  folder: string;
  /** Appears in the launcher's command line, so that a later server recognizes its own launchers. */
  instance: string;
}

/** Delays the refill past a start and its first command, which forking would slow down. */
const REFILL_DELAY_MS = 60;

export class Launchers {
  readonly #options: LaunchersOptions;
  #waiting: Launcher | undefined;
  #refill: NodeJS.Timeout | undefined;
  #made = 0;
  #isClosed = false;

  constructor(options: LaunchersOptions) {
    this.#options = options;
    // Remains of a killed server; its launchers exited with it.
    rmSync(options.folder, { recursive: true, force: true });
    mkdirSync(options.folder, { mode: 0o700 });
  }

  /** The waiting launcher, if it is still alive; otherwise a new one. */
  async take(): Promise<Launcher> {
    clearTimeout(this.#refill);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return await this.#make();
    if (!isRunning(waiting.child) || !existsSync(waiting.socketPath)) {
      discard(waiting);
      return await this.#make();
    }
    setRef(waiting.child, true);
    return waiting;
  }

  /** Call this when a start is over. */
  refillSoon(): void {
    clearTimeout(this.#refill);
    if (this.#isClosed) return;
    // A failure here is not reported: the next start makes its own launcher and reports the failure then.
    this.#refill = setTimeout(() => void this.#prepare().catch(() => {}), REFILL_DELAY_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#refill);
    if (this.#waiting !== undefined) discard(this.#waiting);
    this.#waiting = undefined;
  }

  async #prepare(): Promise<void> {
    if (this.#waiting !== undefined) return;
    const launcher = await this.#make();
    setRef(launcher.child, false);
    if (this.#isClosed || this.#waiting !== undefined) discard(launcher);
    else this.#waiting = launcher;
  }

  async #make(): Promise<Launcher> {
    const { perl, folder, instance, seccompFile } = this.#options;
    this.#made += 1;
    const socketPath = join(folder, `door-${this.#made}`);
    const listener = await openListener(socketPath);
    const seccomp = openSync(seccompFile, 'r');
    try {
      const child = spawn(perl, [LAUNCHER, instance], {
        // Its own session and none of our stdio: the sandbox must survive when this server is killed.
        detached: true,
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        stdio: ['pipe', 'ignore', 'pipe', 'pipe', seccomp, listener.fd, 'pipe', 'pipe', 'pipe'],
      });
      if (child.pid === undefined) {
        const [error] = (await once(child, 'error')) as [Error];
        rmSync(socketPath, { force: true });
        throw new Error(`cannot start a sandbox: ${error.message}`);
      }
      return { child, socketPath };
    } finally {
      closeSync(seccomp);
      listener.release();
    }
  }
}

const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

/** A waiting launcher must not keep this process alive. */
function setRef(child: ChildProcess, isReferenced: boolean): void {
  // All of them are sockets: Node creates a child's pipes as socket pairs.
  for (const part of [child, ...(child.stdio as (Socket | null)[])]) {
    if (isReferenced) part?.ref();
    else part?.unref();
  }
}

/** A launcher without a plan exits, as it does when the server is killed. */
function discard({ child, socketPath }: Launcher): void {
  for (const stream of child.stdio) stream?.destroy();
  rmSync(socketPath, { force: true });
}
