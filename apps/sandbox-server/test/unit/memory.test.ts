import { afterEach, describe, expect, it } from 'vitest';

import type { MemoryReading } from '../../src/lifecycle/memory-pressure.ts';
import { startHarness, type Harness } from './harness.ts';

const CHECK_INTERVAL_MS = 2_000;
const plenty = async (): Promise<MemoryReading> => ({
  availableMb: 9_999,
  stallPercent: undefined,
});
let current = plenty;
let h: Harness;
afterEach(async () => {
  current = plenty;
  await h.dispose();
});

const memoryOf = async (id: string): Promise<unknown> => {
  const { metadata } = (await h.call('GET', `/sandboxes/${id}`)).json as {
    metadata?: Record<string, string>;
  };
  return metadata?.['ship.memory'];
};
const pause = (id: string, body = {}) => h.call('POST', `/sandboxes/${id}/pause`, body);

/** A timer starts each round, which then runs asynchronously: polls until the check passes, with a limit. */
async function eventually(check: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 2_000 && !check(); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(check()).toBe(true);
}

/** Three sandboxes, paused one after the other; each one that is stopped frees 300 MB. Then memory is as given. */
async function startShort(freeMb: number, stallPercent?: number) {
  const reading = (): Promise<MemoryReading> => {
    const stopped = [...h.backend.presences.values()].filter((one) => one === 'stopped').length;
    return Promise.resolve({ availableMb: freeMb + stopped * 300, stallPercent });
  };
  h = await startHarness({
    memoryPressure: { minAvailableMb: 1_000 },
    capacity: { minFreeMemoryMb: 900, minFreeDiskMb: 0 },
    readMemory: () => current(),
  });
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const id = await h.create({ metadata: { mine: String(index) } });
    await pause(id);
    ids.push(id);
    h.clock.advance(10);
  }
  current = reading;
  return { ids, stops: () => h.backend.calls.filter((call) => call.startsWith('stop ')) };
}

describe('a machine short of memory', () => {
  it('[SM1] puts frozen sandboxes to sleep, the longest frozen first, until there is enough', async () => {
    const { ids, stops } = await startShort(500);
    const running = await h.create().catch(() => undefined);
    expect(running).toBeDefined();
    h.clock.advance(CHECK_INTERVAL_MS);
    await eventually(() => stops().length >= 2);
    expect(stops()).toEqual([`stop ${ids[0]}`, `stop ${ids[1]}`]);
    expect(await memoryOf(ids[0] ?? '')).toBe('dropped');
    expect(await memoryOf(ids[2] ?? '')).toBe('kept');
    expect(h.backend.presences.get(running ?? '')).toBe('running');
  });

  it('[SM3] takes one per round while it only stalls', async () => {
    const { stops } = await startShort(9_999, 50);
    h.clock.advance(CHECK_INTERVAL_MS);
    await eventually(() => stops().length === 1);
    // The next check is armed when this one has ended; advancing repeatedly reaches it.
    await eventually(() => {
      h.clock.advance(CHECK_INTERVAL_MS);
      return stops().length === 2;
    });
  });

  it('[SM4] frees memory before it refuses a start', async () => {
    const { stops } = await startShort(650);
    h.clock.advance(600);
    await h.create();
    expect(stops().length).toBeGreaterThanOrEqual(1);
  });

  it('skips a sandbox that cannot be put to sleep', async () => {
    const { ids, stops } = await startShort(800);
    h.backend.failures.set('stop', new Error('it hangs'));
    h.clock.advance(CHECK_INTERVAL_MS);
    await eventually(() => stops().length >= 2);
    await eventually(() => h.backend.presences.get(ids[1] ?? '') === 'stopped');
    expect(h.backend.presences.get(ids[0] ?? '')).toBe('frozen');
    expect(h.log.join('\n')).toContain('it could not be put to sleep');
  });

  it('a request may wake a sandbox that its owner did not put to sleep', async () => {
    const { stops } = await startShort(9_999);
    const id = await h.create({ autoPause: true, autoResume: { enabled: true }, timeout: 1 });
    h.clock.advance(1_500);
    await eventually(() => h.backend.presences.get(id) === 'frozen');
    current = async () => ({ availableMb: stops().length >= 4 ? 9_999 : 0, stallPercent: 0 });
    await eventually(() => {
      h.clock.advance(CHECK_INTERVAL_MS);
      return h.backend.presences.get(id) === 'stopped';
    });
    const answer = await fetch(`${h.server.sandboxUrl}/x`, {
      headers: { 'e2b-sandbox-id': id, 'e2b-sandbox-port': '49983' },
    });
    expect(answer.status).toBe(200);
    expect(await memoryOf(id)).toBe('dropped');
  });
});

const mark = (id: string) => h.call('POST', `/ship/sandboxes/${id}/evictable`);
const reconnect = (id: string) => h.call('POST', `/v2/sandboxes/${id}/connect`, {});
const presence = (id: string) => h.backend.presences.get(id);
/** Three sandboxes and a way to set the free memory. */
const startIdle = async () => {
  h = await startHarness({
    memoryPressure: { minAvailableMb: 1_000 },
    capacity: { minFreeMemoryMb: 300, minFreeDiskMb: 0 },
    readMemory: () => current(),
  });
  const stopped = () => [...h.backend.presences.values()].filter((one) => one === 'stopped');
  const ids = [await h.create(), await h.create(), await h.create()];
  const short = (freeMb: number) => {
    current = async () => ({
      availableMb: freeMb + stopped().length * 300,
      stallPercent: undefined,
    });
  };
  return { ids, short };
};
const checkUntil = async (until: () => boolean) =>
  eventually(() => {
    h.clock.advance(CHECK_INTERVAL_MS);
    return until();
  });

describe('a sandbox that its owner marked as evictable', () => {
  it('[SM7] loses its memory when there is too little, the longest idle first; others keep theirs', async () => {
    const { ids, short } = await startIdle();
    const [used = '', late = '', early = ''] = ids;
    expect((await mark(early)).status).toBe(204);
    h.clock.advance(10);
    expect((await mark(late)).status).toBe(204);
    short(500);
    await checkUntil(() => presence(early) === 'stopped');
    await checkUntil(() => presence(late) === 'stopped');
    expect(h.backend.calls.filter((call) => call.startsWith('stop '))).toEqual([
      `stop ${early}`,
      `stop ${late}`,
    ]);
    expect(presence(used)).toBe('running');
    expect(await memoryOf(early)).toBe('dropped');
    expect(h.log.join('\n')).toContain('put to sleep, its processes end and its files are kept');
    current = plenty;
    expect((await reconnect(early)).status).toBe(201);
    expect(presence(early)).toBe('running');
  });

  it('[SM7] keeps its memory once it is used again, and across a restart of the server', async () => {
    const { ids, short } = await startIdle();
    const [used = '', extended = '', idle = ''] = ids;
    for (const id of ids) expect((await mark(id)).status).toBe(204);
    expect((await reconnect(used)).status).toBe(200);
    expect((await h.call('POST', `/sandboxes/${extended}/timeout`, { timeout: 60 })).status).toBe(
      204,
    );
    await h.restart();
    short(0);
    await checkUntil(() => presence(idle) === 'stopped');
    h.clock.advance(CHECK_INTERVAL_MS);
    expect([presence(used), presence(extended)]).toEqual(['running', 'running']);
  });

  it('[SM4] frees memory for a start before it is so short that starts are refused', async () => {
    const { ids, short } = await startIdle();
    const [idle = ''] = ids;
    await mark(idle);
    h.clock.advance(600);
    short(500);
    await h.create();
    expect(presence(idle)).toBe('stopped');
  });

  it('[SM7] must be running: paused and unknown sandboxes are refused', async () => {
    const { ids } = await startIdle();
    const [paused = ''] = ids;
    await pause(paused);
    expect((await mark(paused)).status).toBe(409);
    expect((await mark('i0000000000000000000000')).status).toBe(404);
  });
});

describe('the memory state in the metadata', () => {
  it('[SM5] follows a sandbox through pause and resume, and disturbs neither metadata nor filters', async () => {
    h = await startHarness();
    const id = await h.create({ metadata: { mine: 'yes', 'ship.memory': 'forged' } });
    const plain = await h.create({ metadata: { mine: 'no' } });
    const connect = (body = {}) => h.call('POST', `/v2/sandboxes/${id}/connect`, body);
    expect(await memoryOf(plain)).toBeUndefined();
    await pause(id);
    expect(await memoryOf(id)).toBe('kept');
    await connect();
    expect(await memoryOf(id)).toBe('kept');
    await pause(id, { memory: false });
    expect(await memoryOf(id)).toBe('dropped');
    await h.restart();
    expect(await memoryOf(id)).toBe('dropped');
    await connect();
    expect(await memoryOf(id)).toBe('dropped');
    await pause(id);
    expect(await memoryOf(id)).toBe('kept');
    const found = await h.call('GET', '/v2/sandboxes?metadata=mine%3Dyes');
    expect(found.json.map((one) => (one as { sandboxID: string }).sandboxID)).toEqual([id]);
  });
});
