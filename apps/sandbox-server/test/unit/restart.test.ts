import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startSandboxServer } from '../../src/index.ts';
import { reconcile } from '../../src/lifecycle/reconcile.ts';
import { API_KEY, startHarness, type Harness } from './harness.ts';

const NO_TEMPLATES = { list: async () => [], layerOf: async () => '' };
let h: Harness;
beforeEach(async () => {
  h = await startHarness();
});
afterEach(async () => {
  await h.dispose();
});

describe('reconcile', () => {
  const paused = { state: 'paused', endAtMs: 0 } as const;
  it.each([
    [{ state: 'creating' }, 'running', 'destroy'],
    [{ state: 'killing' }, 'stopped', 'destroy'],
    [{ state: 'pooled' }, 'running', 'pool'],
    [{ state: 'pooled' }, 'stopped', 'destroy'],
    [{ state: 'running', endAtMs: 1 }, 'running', 'keep'],
    [{ state: 'running', endAtMs: 1 }, 'frozen', 'thaw'],
    [{ state: 'running', endAtMs: 1 }, 'stopped', 'mark-lost'],
    [{ state: 'running', endAtMs: 1 }, 'absent', 'destroy'],
    [{ ...paused, keeps: 'memory' }, 'frozen', 'keep'],
    [{ ...paused, keeps: 'memory' }, 'running', 'freeze'],
    [{ ...paused, keeps: 'memory' }, 'stopped', 'mark-lost'],
    [{ ...paused, keeps: 'files' }, 'stopped', 'keep'],
    [{ ...paused, keeps: 'files' }, 'running', 'stop'],
    [{ ...paused, keeps: 'files' }, 'absent', 'destroy'],
  ] as const)('%j found %s: %s', (phase, presence, action) => {
    expect(reconcile(phase, presence).do).toBe(action);
  });
});

describe('restart', () => {
  it('adopts sandboxes with their timeout, pause and rules', async () => {
    const running = await h.create({ timeout: 100, metadata: { n: '1' } });
    const frozen = await h.create();
    await h.call('POST', `/sandboxes/${frozen}/pause`);
    h.clock.advance(50_000);
    await h.restart();
    expect((await h.call('GET', `/sandboxes/${running}`)).json).toMatchObject({
      state: 'running',
      metadata: { n: '1' },
    });
    expect((await h.call('GET', '/x', undefined, { 'e2b-sandbox-id': running })).status).toBe(200);
    expect((await h.call('POST', `/v2/sandboxes/${frozen}/connect`, {})).status).toBe(201);
    h.clock.advance(51_000);
    for (let turn = 0; turn < 1_000 && h.backend.presences.has(running); turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(h.backend.presences.has(running)).toBe(false);
  });

  it('marks a frozen sandbox whose machine restarted, and boots it from its files', async () => {
    const id = await h.create({ autoPause: true, autoResume: { enabled: true } });
    await h.call('POST', `/sandboxes/${id}/pause`);
    h.backend.presences.set(id, 'stopped');
    await h.restart();
    expect((await h.call('GET', `/ship/sandboxes/${id}`)).json).toMatchObject({
      keeps: 'files',
      wakesByTraffic: true,
    });
    expect(h.log.join('\n')).toContain('its processes were lost');
    expect((await h.call('POST', `/v2/sandboxes/${id}/connect`, {})).status).toBe(201);
    expect(h.backend.calls.at(-1)).toBe(`start ${id}`);
    expect((await h.call('GET', `/sandboxes/${id}`)).json['metadata']).toHaveProperty([
      'ship.processesLostAt',
    ]);
  });

  it('destroys orphans and partial sandboxes, forgets missing ones, and sets damaged records aside', async () => {
    const gone = await h.create();
    await h.server.close();
    h.backend.presences.delete(gone);
    h.backend.presences.set('iorphan', 'running');
    const folder = join(h.dataDir, 'state', 'sandboxes');
    await writeFile(join(folder, 'ibroken.json'), '{"id":"ibro');
    await writeFile(join(folder, 'ihalf.json.123-1.tmp'), 'x');
    // Killed in the first millisecond of a start: only its egress folder exists.
    await mkdir(join(h.dataDir, 'egress', 'iearly'), { recursive: true });
    h.server = await startSandboxServer({
      apiKey: API_KEY,
      dataDir: h.dataDir,
      backend: h.backend,
      catalog: NO_TEMPLATES,
      clock: h.clock,
      log: ({ message }) => h.log.push(message),
    });
    expect(h.backend.presences.size).toBe(0);
    expect((await h.call('GET', '/v2/sandboxes')).json).toEqual([]);
    expect(await readdir(folder)).toEqual(['ibroken.json.damaged']);
    expect(await readdir(join(h.dataDir, 'egress'))).toEqual([]);
    expect(h.log.join('\n')).toContain('ibroken.json could not be read');
  });

  it('refuses a second server on the same data, and ignores the lock of a dead one', async () => {
    const again = {
      apiKey: API_KEY,
      dataDir: h.dataDir,
      backend: h.backend,
      catalog: NO_TEMPLATES,
    };
    await expect(startSandboxServer(again)).rejects.toThrow('Another sandbox server');
    await h.server.close();
    await mkdir(h.dataDir, { recursive: true });
    await writeFile(join(h.dataDir, 'server.lock'), `${process.pid} 1`);
    await h.restart();
    expect((await h.call('GET', '/health')).status).toBe(200);
  });
});

describe('close', () => {
  it.each([
    ['pause', 'frozen'],
    ['stop', 'stopped'],
    ['leave', 'running'],
  ] as const)('%s leaves sandboxes %s', async (fate, presence) => {
    const id = await h.create();
    await h.server.close(fate);
    expect(h.backend.presences.get(id)).toBe(presence);
    await h.restart();
    expect((await h.call('POST', `/v2/sandboxes/${id}/connect`, {})).json).toMatchObject({
      sandboxID: id,
    });
  });
});

describe('warm pool', () => {
  it('claims a ready sandbox, sets its environment, and refills', async () => {
    const pooled = await startHarness({ pool: { base: 2 } });
    const settle = async (ready: number): Promise<void> => {
      for (let turn = 0; turn < 2_000; turn += 1) {
        const { json } = await pooled.call('GET', '/ship/pool');
        if ((json['base'] as { ready: number }).ready === ready) return;
      }
      throw new Error('the pool did not fill');
    };
    await settle(2);
    expect((await pooled.call('GET', '/v2/sandboxes')).json).toEqual([]);
    const starts = pooled.backend.calls.length;
    const id = await pooled.create({ envVars: { A: 'b' }, timeout: 60 });
    expect(pooled.backend.calls).toHaveLength(starts);
    const inits = pooled.backend.requests.filter(({ url }) => url === '/init');
    expect(inits).toMatchObject([{ url: '/init', body: '{"envVars":{"A":"b"}}' }]);
    expect((await pooled.call('GET', '/v2/sandboxes')).json).toHaveLength(1);
    pooled.clock.advance(1_000);
    await settle(2);
    await pooled.call('POST', `/sandboxes/${id}/fork`, {});
    expect((await pooled.call('GET', '/ship/pool')).json).toMatchObject({ base: { ready: 2 } });
    const [fork] = (await pooled.call('GET', '/v2/sandboxes?limit=1')).json;
    await pooled.call('DELETE', `/sandboxes/${(fork as { sandboxID: string }).sandboxID}`);
    await pooled.restart();
    await settle(2);
    expect(pooled.backend.presences.has(id)).toBe(true);
    expect(pooled.backend.presences.size).toBe(3);
    await pooled.server.close('stop');
    expect(pooled.backend.presences.size).toBe(1);
    await pooled.restart();
    await pooled.dispose();
  });
});
