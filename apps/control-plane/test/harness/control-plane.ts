/** The built Worker in a real workerd, which may be killed at any moment and started again over the same data. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { CONTROL_FD, type LaunchBindings, launchCommand } from '../../launch.ts';

const SETPRIV = '/usr/bin/setpriv';
const START_TIMEOUT_MS = 60_000;

export class ControlPlane {
  /** All output, across restarts. */
  output = '';
  readonly port: number;
  readonly #folder: string;
  readonly #bindings: LaunchBindings;
  /** Replaces `workerd.capnp`. */
  readonly #config: string | undefined;
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number, bindings: LaunchBindings, config?: string) {
    this.#folder = folder;
    this.port = port;
    this.#bindings = bindings;
    this.#config = config;
    for (const name of ['objects', 'artifacts', 'page', 'run'])
      mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  }

  static async start(
    folder: string,
    bindings: LaunchBindings,
    config?: string,
  ): Promise<ControlPlane> {
    const plane = new ControlPlane(folder, await freePort(), bindings, config);
    await plane.start();
    return plane;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get objectsFolder(): string {
    return join(this.#folder, 'objects');
  }

  async start(): Promise<void> {
    const { command, args, env } = launchCommand({
      port: this.port,
      ipv6: false,
      objectsFolder: this.objectsFolder,
      artifactsFolder: join(this.#folder, 'artifacts'),
      pageFolder: join(this.#folder, 'page'),
      hostSocket: 'host.sock',
      bindings: this.#bindings,
    });
    if (this.#config !== undefined) args.splice(1, 1, this.#config);
    const child = spawn(...endWithParent(command, args), {
      cwd: join(this.#folder, 'run'),
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`workerd did not start in ${START_TIMEOUT_MS / 1_000} s`)),
        START_TIMEOUT_MS,
      );
      child.once('exit', () => reject(new Error(`workerd ended:\n${this.output.slice(-2_000)}`)));
      child.stdio[CONTROL_FD]?.on('data', (chunk: Buffer) => {
        if (!chunk.toString().includes('"ipv4"')) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** SIGKILL, as in a power cut. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Counts the session objects in memory: a hibernated object has closed its database. */
  openSessionFiles(): number {
    const folder = `/proc/${this.pid}/fd`;
    const targets = readdirSync(folder).map((fd) => linkTarget(join(folder, fd)));
    return targets.filter((target) => /\/session-agent\/[0-9a-f]+\.sqlite$/.test(target)).length;
  }

  memoryMb(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
  }

  /** CPU time of all threads since the start. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }
}

/** A descriptor may be closed before its link is read. */
function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** workerd ends with the test runner, even if the runner is killed. */
function endWithParent(command: string, args: string[]): [string, string[]] {
  try {
    accessSync(SETPRIV, constants.X_OK);
    return [SETPRIV, ['--pdeathsig', 'KILL', '--', command, ...args]];
  } catch {
    return [command, args];
  }
}
