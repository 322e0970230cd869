import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { ManualClock } from '../../src/lifecycle/clock.ts';
import { startHarness, type Harness } from './harness.ts';

let h: Harness;
beforeEach(async () => {
  h = await startHarness();
});
afterEach(async () => {
  await h.dispose();
});

const state = async (id: string): Promise<unknown> =>
  (await h.call('GET', `/sandboxes/${id}`)).json['state'];

/** Timers fire synchronously, their effects do not: polls until the check passes, with a limit. */
async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error('it never happened');
}

describe('life cycle of a sandbox', () => {
  it('is created, found, killed, and leaves nothing', async () => {
    const id = await h.create({ metadata: { a: '1' }, envVars: { X: 'y' } });
    expect(h.backend.specs.get(id)).toMatchObject({ layer: 'base-layer', env: { X: 'y' } });
    expect((await h.call('GET', `/sandboxes/${id}`)).json).toMatchObject({
      sandboxID: id,
      state: 'running',
      metadata: { a: '1' },
      alias: 'base',
      lifecycle: { onTimeout: 'kill', autoResume: false },
    });
    expect((await h.call('DELETE', `/sandboxes/${id}`)).status).toBe(204);
    expect((await h.call('DELETE', `/sandboxes/${id}`)).json).toMatchObject({ code: 404 });
    expect(h.backend.presences.size).toBe(0);
  });

  it('ends at its timeout, and lives longer when extended', async () => {
    const id = await h.create({ timeout: 60 });
    h.clock.advance(59_000);
    expect(await state(id)).toBe('running');
    expect((await h.call('POST', `/sandboxes/${id}/timeout`, { timeout: 100 })).status).toBe(204);
    h.clock.advance(99_000);
    expect(await state(id)).toBe('running');
    h.clock.advance(2_000);
    await eventually(async () => (await h.call('GET', `/sandboxes/${id}`)).status === 404);
    await eventually(async () => h.backend.calls.includes(`destroy ${id}`));
  });

  it('ends although its timer fires early', async () => {
    const clock = new ManualClock();
    const early = {
      nowMs: () => clock.nowMs(),
      after: (ms: number, then: () => void) => clock.after(ms - 1, then),
    };
    const hasty = await startHarness({ clock: early });
    const id = await hasty.create({ timeout: 60 });
    clock.advance(59_999);
    await hasty.call('GET', `/sandboxes/${id}`);
    clock.advance(1);
    await eventually(async () => {
      clock.advance(0);
      return (await hasty.call('GET', `/sandboxes/${id}`)).status === 404;
    });
    expect(hasty.log).toContain('its timeout has passed');
    await hasty.dispose();
  });

  it('connect only ever extends', async () => {
    const id = await h.create({ timeout: 600 });
    const before = (await h.call('GET', `/sandboxes/${id}`)).json['endAt'];
    expect((await h.call('POST', `/v2/sandboxes/${id}/connect`, { timeout: 10 })).status).toBe(200);
    expect((await h.call('GET', `/sandboxes/${id}`)).json['endAt']).toBe(before);
  });

  it.each([
    [undefined, 'freeze', 'thaw'],
    [false, 'stop', 'start'],
  ])('pauses with memory %s by %s and resumes by %s', async (memory, pausing, resuming) => {
    const id = await h.create();
    expect((await h.call('POST', `/sandboxes/${id}/pause`, { memory })).status).toBe(204);
    expect(h.backend.calls.at(-1)).toBe(`${pausing} ${id}`);
    expect((await h.call('POST', `/sandboxes/${id}/pause`, { memory })).json).toMatchObject({
      code: 409,
    });
    expect(await state(id)).toBe('paused');
    h.clock.advance(10 ** 9);
    expect(await state(id)).toBe('paused');
    expect((await h.call('POST', `/v2/sandboxes/${id}/connect`, {})).status).toBe(201);
    expect(h.backend.calls.at(-1)).toBe(`${resuming} ${id}`);
    expect(await state(id)).toBe('running');
  });

  it('a frozen sandbox can be paused again, down to its files', async () => {
    const id = await h.create();
    await h.call('POST', `/sandboxes/${id}/pause`);
    expect((await h.call('POST', `/sandboxes/${id}/pause`, { memory: false })).status).toBe(204);
    expect(h.backend.presences.get(id)).toBe('stopped');
  });

  it('pauses automatically with autoPause, and is woken by a request', async () => {
    const id = await h.create({ timeout: 60, autoPause: true, autoResume: { enabled: true } });
    h.clock.advance(61_000);
    await eventually(async () => (await state(id)) === 'paused');
    const reply = await h.call('GET', '/hello', undefined, { 'e2b-sandbox-id': id });
    expect([reply.status, reply.json['text']]).toEqual([200, 'inside GET /hello ']);
    expect(await state(id)).toBe('running');
  });

  it('is not woken by a request without autoResume', async () => {
    const id = await h.create({ autoPause: true });
    await h.call('POST', `/sandboxes/${id}/pause`);
    const reply = await h.call('GET', '/health', undefined, { 'e2b-sandbox-id': id });
    expect([reply.status, reply.json['message']]).toEqual([502, 'The sandbox was not found']);
  });

  it('keeps the files and reports it when the processes die', async () => {
    const id = await h.create({ timeout: 100 });
    h.backend.die(id);
    await eventually(async () => (await state(id)) === 'paused');
    const { json } = await h.call('GET', `/ship/sandboxes/${id}`);
    expect(json).toMatchObject({ keeps: 'files', presence: 'stopped' });
    expect(json['processesLostAt']).toEqual(expect.any(String));
    expect((await h.call('GET', `/sandboxes/${id}`)).json['metadata']).toHaveProperty([
      'ship.processesLostAt',
    ]);
    h.clock.advance(101_000);
    await eventually(async () => (await h.call('GET', `/sandboxes/${id}`)).status === 404);
  });

  it('cleans up after a failed start, and returns a remedy', async () => {
    h.backend.failures.set('start', new Error('no bwrap'));
    const reply = await h.call('POST', '/v2/sandboxes', { templateID: 'base' });
    expect(reply.json).toMatchObject({ code: 503, message: expect.stringContaining('no bwrap') });
    expect(h.backend.presences.size).toBe(0);
    expect((await h.call('GET', '/v2/sandboxes')).json).toEqual([]);
  });

  it('reports a full disk, not a server error', async () => {
    h.backend.failures.set('start', Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
    const reply = await h.call('POST', '/v2/sandboxes', { templateID: 'base' });
    expect(reply.json).toMatchObject({
      code: 507,
      message: expect.stringContaining('Kill sandboxes'),
    });
    expect((await h.call('GET', '/v2/sandboxes')).json).toEqual([]);
  });

  it('keeps retrying a removal that fails', async () => {
    const id = await h.create();
    h.backend.failures.set('destroy', new Error('busy'));
    expect((await h.call('DELETE', `/sandboxes/${id}`)).json).toMatchObject({ code: 503 });
    expect((await h.call('GET', `/sandboxes/${id}`)).status).toBe(404);
    expect(h.backend.presences.has(id)).toBe(true);
    h.clock.advance(5_000);
    await eventually(async () => !h.backend.presences.has(id));
  });

  it('a failed pause leaves the sandbox running', async () => {
    const id = await h.create();
    h.backend.failures.set('freeze', new Error('busy'));
    expect((await h.call('POST', `/sandboxes/${id}/pause`)).status).toBe(503);
    expect(await state(id)).toBe('running');
  });
});

describe('snapshots and forks', () => {
  it('makes, lists, uses, replaces and deletes snapshots', async () => {
    const id = await h.create({ envVars: { KEEP: '1' } });
    const made = await h.call('POST', `/sandboxes/${id}/snapshots`, { name: 'Mine' });
    expect(made.json).toEqual({ snapshotID: 'mine:default', names: ['mine:default'] });
    const from = await h.create({ templateID: 'mine' });
    const layer = h.backend.specs.get(from)?.layer;
    expect(h.backend.specs.get(from)?.env).toEqual({ KEEP: '1' });
    await h.call('POST', `/sandboxes/${id}/snapshots`, { name: 'mine' });
    expect((await h.call('GET', `/snapshots?sandboxID=${id}`)).json).toHaveLength(1);
    expect(h.backend.layers.has(layer ?? '')).toBe(true);
    await h.call('DELETE', `/sandboxes/${from}`);
    expect(h.backend.layers.has(layer ?? '')).toBe(false);
    expect((await h.call('DELETE', '/templates/mine:default')).status).toBe(204);
    expect((await h.call('DELETE', '/templates/mine:default')).json).toMatchObject({ code: 404 });
    expect(h.backend.layers.size).toBe(0);
  });

  it('refuses a name that would shadow a template', async () => {
    const id = await h.create();
    const reply = await h.call('POST', `/sandboxes/${id}/snapshots`, { name: 'Base:default' });
    expect(reply.json).toMatchObject({ code: 409 });
  });

  it('forks into new sandboxes and reports each failure separately', async () => {
    const id = await h.create({ metadata: { who: 'source' } });
    h.backend.failures.set('start', new Error('one fails'));
    const { json, status } = await h.call('POST', `/sandboxes/${id}/fork`, { count: 2 });
    expect(status).toBe(201);
    expect(
      json.filter((fork) => (fork as { sandbox?: unknown }).sandbox !== undefined),
    ).toHaveLength(1);
    expect(json).toContainEqual({
      error: { code: 503, message: expect.stringContaining('one fails') },
    });
    const all = await h.call('GET', '/v2/sandboxes?metadata=who%3Dsource');
    expect(all.json).toHaveLength(2);
  });
});

describe('limits', () => {
  it('refuses sandboxes over the limit, also with concurrent creates', async () => {
    const small = await startHarness({
      capacity: { maxSandboxes: 3, minFreeMemoryMb: 0, minFreeDiskMb: 0 },
    });
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => small.call('POST', '/v2/sandboxes', { templateID: 'base' })),
    );
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
    await small.dispose();
  });

  it('[SV11] records in the log of a sandbox that it was over a limit', async () => {
    const id = await h.create();
    h.backend.exceed(id, 'its commands were ended: it uses 2 MB of disk, and its limit is 1 MB');
    const { json } = await h.call('GET', `/v2/sandboxes/${id}/logs`);
    expect(json['logs']).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'its commands were ended: it uses 2 MB of disk, and its limit is 1 MB',
      }),
    );
  });

  it.each([
    ['memory', { minFreeMemoryMb: 1e9, minFreeDiskMb: 0 }],
    ['disk', { minFreeMemoryMb: 0, minFreeDiskMb: 1e12 }],
  ])('refuses with 507 and a remedy when %s is short', async (what, capacity) => {
    const full = await startHarness({ capacity });
    const reply = await full.call('POST', '/v2/sandboxes', { templateID: 'base' });
    expect(reply.json).toMatchObject({ code: 507, message: expect.stringContaining(what) });
    expect(String(reply.json['message'])).toContain('Kill sandboxes');
    await full.dispose();
  });
});
