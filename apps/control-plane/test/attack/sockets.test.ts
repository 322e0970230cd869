/** Opens thousands of connections to the control plane, each with a request that never ends. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOOD_SIZE, flood } from '../../../../scripts/testing/flood.ts';
import {
  LOCAL_TOKEN,
  type RunningControlPlane,
  startControlPlane,
} from '../git/support/control-plane.ts';

const MAX_MEMORY_MB = 400;
const NOWHERE = 'http://127.0.0.1:9';

/** workerd needs two descriptors per connection, exits when none are left, and usually gets 20,000 or more. */
const COUNT = Math.min(FLOOD_SIZE, 8_000);

let folder: string;
let plane: RunningControlPlane;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ship-sockets-'));
  plane = await startControlPlane(folder, { apiUrl: NOWHERE, gitUrl: NOWHERE, token: 'none' });
});
afterAll(async () => {
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
});

async function memoryMb(): Promise<number> {
  const status = await readFile(`/proc/${plane.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function settings(): Promise<number> {
  // A new connection: a kept-alive one would prove nothing.
  const headers = { authorization: `Bearer ${LOCAL_TOKEN}`, connection: 'close' };
  return (await fetch(`${plane.url}/api/settings`, { headers })).status;
}

describe('many connections', () => {
  it('[AT-15C] attack: shuts others out of the control plane with connections that never end', async () => {
    expect(await settings()).toBe(200);
    const before = await memoryMb();
    const attack = await flood(Number(new URL(plane.url).port), COUNT);
    expect(attack.open).toBe(COUNT);
    expect(await settings()).toBe(200);
    expect((await memoryMb()) - before).toBeLessThan(MAX_MEMORY_MB);
    await attack.end();
    expect(await settings()).toBe(200);
  });
});
