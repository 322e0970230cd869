import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  startSandboxServer,
  type SandboxServer,
  type SandboxServerOptions,
} from '../../src/index.ts';
import { ManualClock } from '../../src/lifecycle/clock.ts';
import { FakeBackend } from './fake-backend.ts';

export const API_KEY = 'unit-test-key';
const limits = { memoryMb: 512, cpuCount: 1, processes: 64, diskMb: 1_024 };

/** The real server on top of a fake back end. */
export interface Harness {
  server: SandboxServer;
  backend: FakeBackend;
  clock: ManualClock;
  dataDir: string;
  log: string[];
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  create(body?: Record<string, unknown>): Promise<string>;
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

export interface Reply {
  status: number;
  headers: Headers;
  // Each test asserts the shape of the answer.
  json: Record<string, unknown> & unknown[];
}

export async function startHarness(options: Partial<SandboxServerOptions> = {}): Promise<Harness> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ship-unit-'));
  const backend = new FakeBackend();
  await backend.listen();
  const clock = new ManualClock();
  const log: string[] = [];
  const base = { templateId: 'base', names: ['base'], limits, createdAtMs: 0 };
  const start = (): Promise<SandboxServer> =>
    startSandboxServer({
      apiKey: API_KEY,
      dataDir,
      backend,
      clock,
      catalog: { list: async () => [base], layerOf: async () => 'base-layer' },
      log: ({ message }) => log.push(message),
      capacity: { minFreeMemoryMb: 0, minFreeDiskMb: 0 },
      ...options,
    });
  const harness: Harness = {
    server: await start(),
    backend,
    clock,
    dataDir,
    log,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${harness.server.apiUrl}${path}`, {
        method,
        headers: { 'x-api-key': API_KEY, ...headers },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : { text };
      return { status: response.status, headers: response.headers, json };
    },
    async create(body = {}) {
      const reply = await harness.call('POST', '/v2/sandboxes', { templateID: 'base', ...body });
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.json));
      return String(reply.json['sandboxID']);
    },
    async restart() {
      await harness.server.close();
      harness.server = await start();
    },
    async dispose() {
      await harness.server.close();
      backend.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return harness;
}
