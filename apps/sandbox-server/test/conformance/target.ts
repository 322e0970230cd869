/**
 * The suite's target: a server that it starts, or E2B's cloud. For the cloud set SHIP_CONFORMANCE=cloud and
 * E2B_API_KEY (E2B_DOMAIN, E2B_API_URL as the SDK reads them); tests of local-only features are skipped there.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { Sandbox, type SandboxOpts } from 'e2b';

import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { systemDialer } from '../../src/egress/dial.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

export const isCloud = process.env['SHIP_CONFORMANCE'] === 'cloud';
const API_KEY = 'conformance-key';
const DEFAULT_TIMEOUT_MS = 120_000;

export interface Local {
  server: SandboxServer;
  dataDir: string;
  apiKey: string;
  /** Addresses that the egress proxy dialled, and requests to the stand-in for the internet. */
  dialled: string[];
  asked: string[];
}

export interface Target {
  options: { apiKey?: string; apiUrl?: string; sandboxUrl?: string };
  local: Local | undefined;
  create(options?: SandboxOpts & { template?: string }): Promise<Sandbox>;
  /** Kills the sandbox after the test, unless the test has. */
  track(sandbox: Sandbox): Sandbox;
  killAll(): Promise<void>;
  /** A request to a port inside, routed by headers here and by host name in the cloud. */
  fetchPort(sandbox: Sandbox, port: number, path: string, init?: RequestInit): Promise<Response>;
  api(path: string): Promise<unknown>;
  /** Always true in the cloud; here it depends on the machine's subordinate ids. */
  hasSeparateRoot(): Promise<boolean>;
  close(): Promise<void>;
}

/** Stands in for every public host: no test leaves the loopback. */
function startInternet(asked: string[]): Promise<Server> {
  const internet = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    if (request.url === '/redirect')
      response.writeHead(302, { location: 'http://127.0.0.1:80/secret' });
    response.end('hello from outside');
  });
  return new Promise((resolve) => internet.listen(0, '127.0.0.1', () => resolve(internet)));
}

async function startLocal(): Promise<{ local: Local; close: () => Promise<void> }> {
  const folder = await preparedDataFolder();
  const dataDir = join(folder, 'sandboxes');
  const dialled: string[] = [];
  const asked: string[] = [];
  const internet = await startInternet(asked);
  const { port } = internet.address() as AddressInfo;
  const gateway = { address: `http://127.0.0.1:${port}` };
  const server = await startSandboxServer({
    apiKey: API_KEY,
    dataDir,
    egress: { allow: ['allowed.test', 'private.test'] },
    gateways: { models: gateway },
    resolve: async (host) => (host === 'private.test' ? ['10.1.2.3'] : ['93.184.216.34']),
    dial: (address, dialledPort) => {
      dialled.push(`${address}:${dialledPort}`);
      return systemDialer('127.0.0.1', port);
    },
  });
  const close = async (): Promise<void> => {
    await server.close('stop');
    internet.closeAllConnections();
    internet.close();
    removeFolder(folder);
  };
  return { local: { server, dataDir, apiKey: API_KEY, dialled, asked }, close };
}

export async function openTarget(): Promise<Target> {
  const started = isCloud ? undefined : await startLocal();
  const local = started?.local;
  const options =
    local === undefined
      ? {}
      : { apiKey: API_KEY, apiUrl: local.server.apiUrl, sandboxUrl: local.server.sandboxUrl };
  const open = new Set<Sandbox>();
  const target: Target = {
    options,
    local,
    async create({ template = 'base', ...given } = {}) {
      const sandbox = await Sandbox.create(template, {
        timeoutMs: DEFAULT_TIMEOUT_MS,
        ...options,
        ...given,
      });
      return target.track(sandbox);
    },
    track(sandbox) {
      open.add(sandbox);
      return sandbox;
    },
    async killAll() {
      await Promise.allSettled([...open].map((sandbox) => sandbox.kill()));
      open.clear();
    },
    fetchPort(sandbox, port, path, init = {}) {
      if (local === undefined) return fetch(`https://${sandbox.getHost(port)}${path}`, init);
      const headers = new Headers(init.headers);
      headers.set('E2b-Sandbox-Id', sandbox.sandboxId);
      headers.set('E2b-Sandbox-Port', String(port));
      return fetch(`${local.server.sandboxUrl}${path}`, { ...init, headers });
    },
    async api(path) {
      const response = await fetch(`${local?.server.apiUrl}${path}`, {
        headers: { 'x-api-key': API_KEY },
      });
      return response.json();
    },
    async hasSeparateRoot() {
      if (local === undefined) return true;
      const { separateRoot } = (await target.api('/ship/capabilities')) as {
        separateRoot: boolean;
      };
      return separateRoot;
    },
    async close() {
      await target.killAll();
      await started?.close();
    },
  };
  return target;
}

/** Polls until it holds, with a time limit. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
): Promise<T> {
  const endMs = Date.now() + 15_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > endMs) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
