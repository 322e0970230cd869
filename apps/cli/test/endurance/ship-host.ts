/**
 * A complete Ship as a user runs it, which can be killed and restarted. Its model runs in the test's process: its ledger is the
 * reference for the session's bill and must survive every kill.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type DemoModel, type ScriptFile, parseScript, startDemoModel } from '@ship/demo-model';
import { type Spending, Spending as SpendingShape } from '@ship/protocol';
import { ShipClient } from '@ship/protocol/client';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { type Running, kill, launchShip, until, untilReady } from '../launch.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import {
  controlPlanePid,
  mountsOf,
  processesIn,
  processesOf,
  readProcess,
  sandboxFolders,
} from './processes.ts';

export const MODEL = 'scripted/demo';
const START_MS = 90_000;
/** Timeouts of a close: first for Ship to stop, then for remaining processes to exit. */
const CLOSE_TIMEOUTS = { stopMs: 30_000, leftMs: 30_000 };
/** An interrupted test judges nothing, so it waits no longer than Ship promises to take. */
const INTERRUPTED = { stopMs: 8_000, leftMs: 1_000 };
const EMPTY_MS = 60_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The demo model's prices. */
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

let interruption: Promise<unknown> | undefined;

/**
 * Never settles after a signal, which decides how the process exits. Otherwise a session that fails because its host closes
 * would end the process first, with another exit code and with sandboxes left behind.
 */
export const untilInterruptionEnds = (): Promise<unknown> => interruption ?? Promise.resolve();

export class ShipHost {
  readonly data: string;
  readonly port: number;
  readonly model: DemoModel;
  readonly client: ShipClient;
  #running: Running | undefined;
  #closing: Promise<string[]> | undefined;
  #token = '';

  private constructor(data: string, port: number, model: DemoModel) {
    this.data = data;
    this.port = port;
    this.model = model;
    // A function, because the first start creates the token.
    this.client = new ShipClient({
      baseUrl: this.url,
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        headers.set('authorization', `Bearer ${this.#token}`);
        return fetch(input, { ...init, headers });
      },
    });
  }

  static async open(script: Pick<ScriptFile, 'rules' | 'timing'>): Promise<ShipHost> {
    const model = await startDemoModel({
      script: parseScript({ name: 'endurance', otherwise: 'general', ...script }),
    });
    const data = await preparedDataFolder();
    const provider = {
      protocol: 'openai-chat',
      baseUrl: model.baseUrl,
      models: {
        demo: { name: 'Scripted', contextTokens: 128_000, outputTokens: 8192, price: PRICE },
      },
    };
    writeFileSync(join(data, 'models.json'), JSON.stringify({ providers: { scripted: provider } }));
    await mkdir(join(data, 'repositories'));
    await mkdir(join(data, 'tmp'));
    const host = new ShipHost(data, await freePort(), model);
    process.once('exit', host.#abandon);
    for (const signal of SIGNALS) process.on(signal, host.#interrupted);
    await host.start();
    return host;
  }

  /** Kills everything when the test process exits, for any reason. */
  readonly #abandon = (): void => {
    this.#running?.process.kill('SIGKILL');
    killAll(processesIn(this.data));
  };

  /** A second signal does not wait: `exit` runs `#abandon`. */
  readonly #interrupted = (signal: (typeof SIGNALS)[number]): void => {
    const exit = () => process.exit(128 + constants.signals[signal]);
    if (this.#closing !== undefined) exit();
    const before = processesIn(this.data).length;
    const report = (text: string) => process.stderr.write(`stopped by ${signal}: ${text}\n`);
    report('ending what it started');
    interruption = this.close(INTERRUPTED)
      .then(
        (left) => report(`${before} processes ended, ${left.length} of them by force`),
        (error: unknown) => report(String(error)),
      )
      .finally(exit);
  };

  /** Loops check it: a host that is closed never starts again. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#running?.process.pid ?? 0;
  }

  get token(): string {
    return this.#token;
  }

  repository(name: string): string {
    // It would create the data folder again.
    if (this.isClosing) throw new Error('This host is closed');
    return join(this.data, 'repositories', name);
  }

  async start(): Promise<void> {
    if (this.isClosing) throw new Error('This host is closed');
    const options = ['--port', String(this.port), '--data', this.data];
    // Its own folder for temporary files, to distinguish them from those of other programs.
    this.#running = launchShip(['up', '--no-open', ...options], { TMPDIR: join(this.data, 'tmp') });
    await untilReady(this.#running, START_MS);
    this.#token = readFileSync(join(this.data, 'secrets', 'local-token'), 'utf8');
  }

  /** kill -9, like a crash of the machine. */
  async kill(): Promise<void> {
    if (this.#running !== undefined) await kill(this.#running);
    this.#running = undefined;
  }

  async stop(stopMs = CLOSE_TIMEOUTS.stopMs): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    running.process.kill('SIGTERM');
    const late = new Promise((resolve) => setTimeout(resolve, stopMs).unref());
    await Promise.race([running.exited, late]);
    await this.kill();
  }

  async spending(): Promise<Spending> {
    const response = await fetch(`${this.url}/api/spending`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    return SpendingShape.parse(await response.json());
  }

  /** Destroys a sandbox through the sandbox service's API. */
  async destroySandbox(sandboxId: string): Promise<void> {
    const { apiUrl, apiKey } = this.#controlPlaneVariables({
      apiUrl: 'SHIP_E2B_API_URL',
      apiKey: 'SHIP_E2B_API_KEY',
    });
    await fetch(`${apiUrl}/sandboxes/${sandboxId}`, {
      method: 'DELETE',
      headers: { 'x-api-key': apiKey },
    });
  }

  /** Variables of the control plane's environment, which only this user can read. */
  #controlPlaneVariables<Name extends string>(names: Record<Name, string>): Record<Name, string> {
    const pid = controlPlanePid(this.data);
    const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const value = (name: string) =>
      lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    const found = Object.entries<string>(names).map(([key, name]) => [key, value(name)]);
    return Object.fromEntries(found) as Record<Name, string>;
  }

  /** All pull requests of a folder at the forge. */
  async pullRequests(
    repository: string,
  ): Promise<{ number: number; head: string; state: string }[]> {
    const { url, token } = this.#controlPlaneVariables({
      url: 'SHIP_FORGE_API_URL',
      token: 'SHIP_FORGE_TOKEN',
    });
    const ask = async (path: string, body?: unknown): Promise<unknown> => {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return response.json();
    };
    // The same folder returns the same repository.
    const { full_name: name } = (await ask('/ship/repositories', { path: repository })) as {
      full_name: string;
    };
    const pulls = (await ask(`/repos/${name}/pulls?state=all&per_page=100`)) as ForgePull[];
    return pulls.map(({ number, head, state }) => ({ number, head: head.ref, state }));
  }

  /** Waits until nothing of the deleted sessions is left; returns what remains. */
  async untilEmpty(): Promise<string[]> {
    await this.client.changeSettings({ warm: { size: 0 } });
    const left = () => [
      ...sandboxFolders(this.data).map((name) => `folder of sandbox ${name}`),
      ...processesOf(this.data)
        .filter(({ command }) => /opencode|envd/.test(command))
        .map(({ pid, command }) => `process ${pid} ${command}`),
      ...mountsOf(this.data).map((line) => `mount ${line}`),
      ...readdirSync(join(this.data, 'tmp')).map((name) => `temporary file ${name}`),
    ];
    return until('nothing left', () => (left().length === 0 ? [] : undefined), EMPTY_MS).catch(
      left,
    );
  }

  /** Stops everything, once. Returns what Ship left behind: processes, which are then killed, and mounts. */
  close(timeouts = CLOSE_TIMEOUTS): Promise<string[]> {
    return (this.#closing ??= this.#close(timeouts));
  }

  async #close({ stopMs, leftMs }: typeof CLOSE_TIMEOUTS): Promise<string[]> {
    try {
      await this.stop(stopMs);
      const left = await this.#endProcesses(leftMs);
      const mounts = mountsOf(this.data).map((line) => `mount ${line}`);
      await this.model.close();
      return [...left, ...mounts];
    } finally {
      process.off('exit', this.#abandon);
      for (const signal of SIGNALS) process.off(signal, this.#interrupted);
      // A session that is just being created may still write into it.
      removeFolder(this.data);
    }
  }

  async #endProcesses(leftMs: number): Promise<string[]> {
    const none = () => (processesIn(this.data).length === 0 ? [] : undefined);
    const isEnded = await until('no process left', none, leftMs, 100).catch(() => undefined);
    if (isEnded !== undefined) return [];
    const left = processesIn(this.data);
    const named = left.map((pid) => `process ${pid} ${readProcess(pid)?.command ?? ''}`);
    killAll(left);
    await until('no process left', none, CLOSE_TIMEOUTS.leftMs, 100).catch(() => undefined);
    return named;
  }
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited meanwhile.
    }
  }
}

interface ForgePull {
  number: number;
  state: string;
  head: { ref: string };
}
