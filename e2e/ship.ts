/** `test` with a running Ship: each worker has its own, with its own port and data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, test as base, expect } from '@playwright/test';
import { Registry } from './registry.ts';
import { freePort } from '../scripts/testing/free-port.ts';
import { measureProcessorTime } from '../scripts/test/playwright-timings.ts';
import { preparedDataFolder } from '../scripts/testing/prepared-data.ts';
import { removeFolder } from '../scripts/testing/remove-folder.ts';
import { newSignInCookie, newSignInLink } from '../scripts/testing/sign-in.ts';

const MAIN = fileURLToPath(new URL('../apps/cli/src/main.ts', import.meta.url));

export class Ship {
  readonly port: number;
  readonly url: string;
  /** The npm registry for installs by the host. */
  readonly registry: Registry;
  readonly #data: string;
  readonly #options: readonly string[];
  #isOnline = false;
  #env: Readonly<Record<string, string>> = {};
  #process: ChildProcess | undefined;

  private constructor(port: number, data: string, registry: Registry, options: readonly string[]) {
    this.port = port;
    this.url = `http://ship.localhost:${port}`;
    this.#data = data;
    this.registry = registry;
    this.#options = options;
  }

  /** `options` are additional options of `ship up`. */
  static async launch(...options: readonly string[]): Promise<Ship> {
    const ship = await Ship.#prepare(options);
    await ship.start();
    return ship;
  }

  /** Uses the machine's npm registry, for tests that really install something. */
  static async launchWithNetwork(...options: readonly string[]): Promise<Ship> {
    const ship = await Ship.#prepare(options);
    ship.#isOnline = true;
    await ship.start();
    return ship;
  }

  /** Starts with additional environment variables. */
  static async launchWithEnv(env: Readonly<Record<string, string>>): Promise<Ship> {
    const ship = await Ship.#prepare([]);
    ship.#env = env;
    await ship.start();
    return ship;
  }

  static async #prepare(options: readonly string[]): Promise<Ship> {
    const registry = await Registry.open();
    return new Ship(await freePort(), await preparedDataFolder(), registry, options);
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get #token(): string {
    return readFileSync(join(this.#data, 'secrets', 'local-token'), 'utf8');
  }

  /** Signs the context in, as an opened link does. */
  async signIn(context: BrowserContext): Promise<void> {
    await context.addCookies([await newSignInCookie(this.url, this.#token)]);
  }

  /** A sign-in link as printed by `ship open`. */
  signInLink(path = '/'): Promise<string> {
    return newSignInLink(this.url, this.#token, path);
  }

  async start(): Promise<void> {
    const place = ['--port', String(this.port), '--data', this.#data];
    const args = [MAIN, 'up', '--no-open', ...place, ...this.#options];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...(this.#isOnline ? {} : { npm_config_registry: this.registry.url }),
        ...this.#env,
      },
    });
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('ship: ready')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`ship up ended with code ${code}`)));
    });
    await this.#disableWarmPool();
  }

  /** Most sessions here have no task: prewarming an agent for each would waste seconds of processor time. */
  async #disableWarmPool(): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/api/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ warm: { size: 0 } }),
    });
    if (!answer.ok) throw new Error(`PATCH /api/settings: ${answer.status}`);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }

  async remove(): Promise<void> {
    await this.stop();
    this.registry.close();
    removeFolder(this.#data);
  }
}

type SignIn = (context: BrowserContext) => Promise<void>;

export const test = base.extend<
  { problems: string[]; processorTime: undefined },
  { ship: Ship; signIn: SignIn }
>({
  processorTime: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from this pattern
    ({}, use, info) => measureProcessorTime(() => use(undefined), info),
    { auto: true },
  ],
  ship: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from this pattern
    async ({}, use) => {
      const ship = await Ship.launch();
      await use(ship);
      await ship.remove();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ ship }, use) => use(ship.url),
  signIn: [
    ({ ship }, use) => use((context: BrowserContext) => ship.signIn(context)),
    { scope: 'worker' },
  ],
  context: async ({ context, signIn }, use) => {
    await signIn(context);
    await use(context);
  },
  /** Script errors and refused content in the browser console. A test that expects some clears the list. */
  problems: [
    async ({ page }, use) => {
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          problems.push(message.text());
      });
      await use(problems);
      expect(problems).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
