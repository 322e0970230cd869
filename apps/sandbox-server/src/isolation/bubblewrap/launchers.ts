/**
 * Launchers (launch.pl) that wait for their plan. To start a program the server has to copy its own page tables, which
 * takes it five milliseconds, and Perl needs three more: one launcher is kept waiting, so that a cold start meets both
 * already done. It belongs to no sandbox yet, has joined nothing and mounted nothing, and ends with the server.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { makeDoor } from './door.ts';
import { LAUNCHER } from './launch-plan.ts';

export interface Launcher {
  child: ChildProcess;
  /** Where its door waits, to be moved to its sandbox. */
  doorPath: string;
}

export interface LaunchersOptions {
  perl: string;
  seccompFile: string;
  /** For doors of launchers that wait, and nothing else. */
  folder: string;
  /** In the launcher's command line, so that a later server knows one of its own by it. */
  instance: string;
}

/** The next one is made when nobody waits for a start or for the first command after it. */
const REFILL_DELAY_MS = 60;

export class Launchers {
  readonly #options: LaunchersOptions;
  #waiting: Launcher | undefined;
  #refill: NodeJS.Timeout | undefined;
  #made = 0;
  #isClosed = false;

  constructor(options: LaunchersOptions) {
    this.#options = options;
    // What a server that was killed has left; its launchers have ended with it.
    rmSync(options.folder, { recursive: true, force: true });
    mkdirSync(options.folder, { mode: 0o700 });
  }

  /** The one that waits, if it still lives; otherwise a new one. */
  async take(): Promise<Launcher> {
    clearTimeout(this.#refill);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return await this.#make();
    if (!isRunning(waiting.child) || !existsSync(waiting.doorPath)) {
      discard(waiting);
      return await this.#make();
    }
    hold(waiting.child, true);
    return waiting;
  }

  /** To be called when a start is over. */
  refillSoon(): void {
    clearTimeout(this.#refill);
    if (this.#isClosed) return;
    // One that cannot be made now is made when it is needed, and its failure is told then.
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
    hold(launcher.child, false);
    if (this.#isClosed || this.#waiting !== undefined) discard(launcher);
    else this.#waiting = launcher;
  }

  async #make(): Promise<Launcher> {
    const { perl, folder, instance, seccompFile } = this.#options;
    this.#made += 1;
    const doorPath = join(folder, `door-${this.#made}`);
    const door = await makeDoor(doorPath);
    const seccomp = openSync(seccompFile, 'r');
    try {
      const child = spawn(perl, [LAUNCHER, instance], {
        // Its own session and no stdio of ours: the sandbox must live on when this server is killed.
        detached: true,
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        stdio: ['pipe', 'ignore', 'pipe', 'pipe', seccomp, door.fd, 'pipe', 'pipe', 'pipe'],
      });
      if (child.pid === undefined) {
        const [error] = (await once(child, 'error')) as [Error];
        rmSync(doorPath, { force: true });
        throw new Error(`cannot start a sandbox: ${error.message}`);
      }
      return { child, doorPath };
    } finally {
      closeSync(seccomp);
      door.release();
    }
  }
}

const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

/** One that waits must not keep this process alive. */
function hold(child: ChildProcess, isHeld: boolean): void {
  // All of them are sockets: Node makes a child's pipes of socket pairs.
  for (const part of [child, ...(child.stdio as (Socket | null)[])]) {
    if (isHeld) part?.ref();
    else part?.unref();
  }
}

/** Without a plan it ends by itself, as it does when the server is killed. */
function discard({ child, doorPath }: Launcher): void {
  for (const stream of child.stdio) stream?.destroy();
  rmSync(doorPath, { force: true });
}
