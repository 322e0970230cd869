/** The test Worker of the model gateway in a real workerd process, on loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createId } from '@ship/protocol';
import { build } from 'esbuild';
import { freePort } from '../../../../scripts/testing/free-port.ts';

const require = createRequire(import.meta.url);
const ENTRY = fileURLToPath(new URL('../../src/testing/gateway-worker.ts', import.meta.url));
const LOCAL_TOKEN = 'local-token-of-the-gateway-tests';
const READY_TIMEOUT_MS = 60_000;

export interface Terms {
  turnId: string | null;
  models: string[];
  repository: string;
  turn: { micros: number | null; tokens: number | null };
  session: { micros: number | null; tokens: number | null };
}

interface SessionView {
  spent: {
    micros: number;
    tokens: number;
    calls: number;
    estimatedCalls: number;
    unpricedCalls: number;
    usage: Record<string, number>;
  };
  hasOpenCalls: boolean;
  capability: string;
  agent: Record<string, unknown> | null;
}

const NO_CAPS = { micros: null, tokens: null };

/** One session: its capability, its terms and its spending. */
export class TestSession {
  readonly sessionId = createId('ses');
  readonly #process: GatewayProcess;
  #capability = '';

  constructor(process: GatewayProcess) {
    this.#process = process;
  }

  async setTerms(terms: Partial<Terms>): Promise<this> {
    const defaults = {
      turnId: null,
      models: [],
      repository: '/r',
      turn: NO_CAPS,
      session: NO_CAPS,
    };
    const view = await this.#ask({ terms: { ...defaults, ...terms } });
    this.#capability = view.capability;
    return this;
  }

  view(): Promise<SessionView> {
    return this.#ask({});
  }

  agentConfig(models: string[], gatewayUrl: string): Promise<SessionView> {
    return this.#ask({ agent: { models, gatewayUrl } });
  }

  get capability(): string {
    return this.#capability;
  }

  call(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#process.url}/gateway/models/${path}`, {
      method: 'POST',
      ...init,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.#capability}`,
        ...(init.headers as Record<string, string> | undefined),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Polls until no call is open: an aborted call is settled a moment later. */
  async untilSettled(): Promise<SessionView> {
    for (let attempt = 0; attempt < 600; attempt++) {
      const view = await this.view();
      if (!view.hasOpenCalls) return view;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('a call was never settled');
  }

  async #ask(body: Record<string, unknown>): Promise<SessionView> {
    const response = await fetch(`${this.#process.url}/test/session`, {
      method: 'POST',
      body: JSON.stringify({ sessionId: this.sessionId, ...body }),
    });
    if (!response.ok) throw new Error(`test route: ${response.status} ${await response.text()}`);
    return (await response.json()) as SessionView;
  }
}

export class GatewayProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  /** All output, to check that it contains no key. */
  log = '';

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.#child = child;
    this.#folder = folder;
    this.url = url;
  }

  static async start(bindings: Record<string, string>): Promise<GatewayProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'ship-gateway-'));
    mkdirSync(join(folder, 'objects'));
    await bundle(join(folder, 'worker.js'));
    const port = await freePort();
    const file = join(folder, 'config.capnp');
    writeFileSync(file, config(port, bindings), { mode: 0o600 });
    const { default: workerd } = require('workerd') as { default: string };
    const child = spawn(workerd, ['serve', file], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const process = new GatewayProcess(child, folder, `http://127.0.0.1:${port}`);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (process.log += text));
    await process.#untilReady();
    return process;
  }

  session(terms: Partial<Terms> = {}): Promise<TestSession> {
    return new TestSession(this).setTerms(terms);
  }

  api(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${LOCAL_TOKEN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** CPU time of workerd so far, which depends less on a busy machine than elapsed time. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    const [user, system] = stat.split(' ').slice(11, 13).map(Number);
    const ticksPerSecond = 100;
    return (((user ?? 0) + (system ?? 0)) * 1_000) / ticksPerSecond;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exit = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await exit;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #untilReady(): Promise<void> {
    const until = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < until && this.#child.exitCode === null) {
      const answer = await fetch(`${this.url}/api/health`).catch(() => undefined);
      if (answer !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await this.stop();
    throw new Error(`workerd is not ready: ${this.log}`);
  }
}

async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['module', 'main'],
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'warning',
  });
}

function config(port: number, bindings: Record<string, string>): string {
  const all = {
    LOCAL_TOKEN,
    SECRETS_KEYS: '0123456789abcdef'.repeat(4),
    GATEWAY_SECRET: 'secret-of-the-gateway-tests-0123456789',
    ...bindings,
  };
  const texts = Object.entries(all).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)}),`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "objects", disk = (path = "objects", writable = true)),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-09-01",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [
    (name = "SESSIONS", durableObjectNamespace = "BudgetSession"),
    (name = "WORKSPACES", durableObjectNamespace = "Workspace"),
    ${texts.join('\n    ')}
  ],
  durableObjectNamespaces = [
    (className = "BudgetSession", uniqueKey = "budget-session", enableSql = true),
    (className = "Workspace", uniqueKey = "workspace", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
);
`;
}
