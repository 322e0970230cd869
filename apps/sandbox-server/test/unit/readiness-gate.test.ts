import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  openSandboxServer,
  startSandboxServer,
  type OpeningSandboxServer,
} from '../../src/index.ts';
import { FakeBackend } from './fake-backend.ts';
import { API_KEY } from './harness.ts';

describe('a server that is still starting', () => {
  let dataDir: string;
  let backend: FakeBackend;
  let server: OpeningSandboxServer | undefined;
  const limits = { memoryMb: 512, cpuCount: 1, processes: 64, diskMb: 1_024 };
  const base = { templateId: 'base', names: ['base'], limits, createdAtMs: 0 };

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'ship-gate-'));
    backend = new FakeBackend();
    await backend.listen();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    backend.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const options = (layerOf: () => Promise<string>) => ({
    apiKey: API_KEY,
    dataDir,
    backend,
    catalog: { list: async () => [base], layerOf },
  });
  const ask = (path: string) =>
    fetch(`${server?.apiUrl}${path}`, { headers: { 'x-api-key': API_KEY } });

  it('[SV6] answers 503 with Retry-After, and serves the same address once it is ready', async () => {
    const template = Promise.withResolvers<string>();
    server = await openSandboxServer(options(() => template.promise));
    const early = await ask('/sandboxes');
    expect(early.status).toBe(503);
    expect(early.headers.get('retry-after')).toBe('1');
    expect(await early.json()).toEqual({ code: 503, message: expect.stringContaining('starting') });
    const upgrade = new WebSocket(server.apiUrl.replace('http', 'ws'));
    await new Promise((resolve) => upgrade.addEventListener('error', resolve));
    template.resolve('base-layer');
    await server.ready;
    expect((await ask('/sandboxes')).status).toBe(200);
  });

  it('[SV8] starts on a machine that briefly could not isolate', async () => {
    const answers = [{ reason: 'no memory just now', remedy: 'Wait.' }];
    const probe = backend.probe.bind(backend);
    Object.assign(backend, { probe: async () => answers.shift() ?? probe() });
    server = await openSandboxServer(options(async () => 'base-layer'));
    await server.ready;
    expect(answers).toEqual([]);
    expect((await ask('/sandboxes')).status).toBe(200);
  });

  it('[SV6] keeps answering with the reason until it is closed', async () => {
    Object.assign(backend, {
      probe: async () => ({ reason: 'no namespaces here', remedy: 'Allow them.' }),
    });
    server = await openSandboxServer(options(async () => 'base-layer'));
    await expect(server.ready).rejects.toThrow('no namespaces here');
    const answer = await ask('/sandboxes');
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('no namespaces here');
    await server.close();
    await expect(ask('/sandboxes')).rejects.toThrow();
    server = undefined;
    // The folder is unlocked again, and a plain start fails with the same reason.
    await expect(startSandboxServer(options(async () => 'base-layer'))).rejects.toThrow(
      'no namespaces here',
    );
  });
});
