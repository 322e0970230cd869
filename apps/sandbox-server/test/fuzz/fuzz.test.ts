import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { until } from '../conformance/target.ts';
import { startServer, type ServerProcess } from '../restart/server-process.ts';
import { fuzzCases } from './cases.ts';
import { sendHttp, sendRaw } from './send.ts';
import type { FuzzCase } from './types.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

const SEED = Number(process.env['SHIP_FUZZ_SEED'] ?? 20_260_918);
const CASES = Number(process.env['SHIP_FUZZ_CASES'] ?? 2_400);
const WARM_UP = Math.min(400, CASES / 2);
/** A request takes milliseconds; on a busy machine hundreds of them. */
const TIMEOUT_MS = 120_000 + CASES * 200;
const CONCURRENCY = 12;
const MAX_GROWTH_MB = 16;
/** Deliberate answers: no such RPC (Connect's own status), not running, busy, no space. Any other 5xx is a defect. */
const DELIBERATE = new Set([501, 502, 503, 507]);

let folder = '';
let dataDir = '';
let server: ServerProcess;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await preparedDataFolder();
  dataDir = join(folder, 'sandboxes');
  server = await startServer(dataDir);
  sandbox = await Sandbox.create('base', { ...server.options, timeoutMs: 3_600_000 });
}, 180_000);
afterAll(async () => {
  const left = await Sandbox.list({ ...server.options, limit: 1_000 }).nextItems();
  await Promise.allSettled(left.map(({ sandboxId }) => Sandbox.kill(sandboxId, server.options)));
  await server.terminate();
  removeFolder(folder);
}, 60_000);

/** Connections that are never closed show up here long before they do in memory. */
async function openDescriptors(): Promise<number> {
  return (await readdir(`/proc/${server.pid}/fd`)).length;
}

async function run(cases: readonly FuzzCase[]): Promise<{ status: number; given: FuzzCase }[]> {
  const socket = join(dataDir, 'egress', sandbox.sandboxId, 'egress.sock');
  const results: { status: number; given: FuzzCase }[] = [];
  const queue = cases.values();
  const worker = async (): Promise<void> => {
    for (const given of queue) {
      const { apiUrl } = server.options;
      const status =
        given.kind === 'http'
          ? await sendHttp(apiUrl, given)
          : await sendRaw(apiUrl, socket, given);
      results.push({ status, given });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

describe('fuzzed requests', () => {
  it(
    `${CASES} cases from seed ${SEED}: no crash, no hang, no accidental 5xx, flat memory`,
    { timeout: TIMEOUT_MS },
    async () => {
      const { envdAccessToken = '' } = sandbox as unknown as { envdAccessToken?: string };
      const live = {
        apiKey: server.options.apiKey,
        sandboxId: sandbox.sandboxId,
        accessToken: envdAccessToken,
      };
      const cases = fuzzCases(live, SEED, CASES);
      const warm = await run(cases.slice(0, WARM_UP));
      const [beforeMb, beforeFds] = [await server.memoryInUseMb(), await openDescriptors()];
      const rest = await run(cases.slice(WARM_UP));
      const afterMb = await server.memoryInUseMb();

      const bad = [...warm, ...rest].filter(
        ({ status }) => status === -1 || (status >= 500 && !DELIBERATE.has(status)),
      );
      expect(bad.slice(0, 5).map((found) => JSON.stringify(found).slice(0, 600))).toEqual([]);
      expect(warm.length + rest.length).toBe(CASES);
      const statuses = new Map<number, number>();
      for (const { status } of [...warm, ...rest])
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // A suite that only gets refused proves nothing: several kinds of answers must have occurred.
      expect([200, 400, 401, 404, 502].filter((status) => !statuses.has(status))).toEqual([]);
      expect(afterMb - beforeMb).toBeLessThan(MAX_GROWTH_MB);
      await until('connections are closed', async () => (await openDescriptors()) <= beforeFds + 4);
      expect(server.log()).not.toMatch(/TypeError|RangeError|ReferenceError|Unhandled/);
      await sandbox.setTimeout(600_000);
      expect((await sandbox.commands.run('echo still here')).stdout).toBe('still here\n');
    },
  );
});
