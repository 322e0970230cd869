/** Memory pressure with real sandboxes; only the machine's memory is simulated. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { until } from '../conformance/target.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

const START_TIMEOUT_MS = 180_000;
let folder = '';
let server: SandboxServer;
let options: { apiKey: string; apiUrl: string; sandboxUrl: string };
let availableMb = 9_999;
/** The machine's simulated memory; null: fixed at `availableMb`. */
let machineMb: number | null = null;
beforeAll(async () => {
  folder = await preparedDataFolder();
  server = await startSandboxServer({
    apiKey: 'memory-test-key',
    dataDir: join(folder, 'sandboxes'),
    readMemory: async () => ({
      availableMb: machineMb === null ? availableMb : machineMb - (await heldMb()),
      stallPercent: undefined,
    }),
  });
  options = { apiKey: 'memory-test-key', apiUrl: server.apiUrl, sandboxUrl: server.sandboxUrl };
}, START_TIMEOUT_MS);
afterAll(async () => {
  const left = await Sandbox.list(options).nextItems();
  await Promise.all(left.map(({ sandboxId }) => Sandbox.kill(sandboxId, options)));
  await server.close('stop');
  removeFolder(folder);
}, 60_000);

const memoryOf = async ({ sandboxId }: Sandbox): Promise<string | undefined> =>
  (await Sandbox.getInfo(sandboxId, options)).metadata['ship.memory'];

const MARKER = 'memory-held-by-a-test';
const holding = (mb: number) =>
  `python3 -c "held = b'x' * (${mb} << 20); import time; print('held', flush=True); time.sleep(600)  # ${MARKER}"`;

/** Resident memory of the programs that hold some, as the machine's kernel counts it. */
async function heldMb(): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const pages = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      const command = await read('cmdline');
      if (!command.startsWith('python3') || !command.includes(MARKER)) return 0;
      return Number((await read('statm')).split(' ')[1] ?? 0);
    }),
  );
  return (pages.reduce((sum, count) => sum + count, 0) * 4_096) / 2 ** 20;
}

async function hold(sandbox: Sandbox, mb: number): Promise<void> {
  let isHeld = false;
  const onStdout = () => {
    isHeld = true;
  };
  await sandbox.commands.run(holding(mb), { background: true, timeoutMs: 0, onStdout });
  await until('it holds memory', async () => isHeld);
}

describe('a machine short of memory', () => {
  it(
    '[SM1] ends the processes of a frozen sandbox, and restores its files',
    { timeout: 60_000 },
    async () => {
      const [frozen, running] = await Promise.all([
        Sandbox.create('base', options),
        Sandbox.create('base', options),
      ]);
      await frozen.files.write('kept', 'file');
      const sleep = await frozen.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
      await frozen.pause();
      expect(await memoryOf(frozen)).toBe('kept');
      availableMb = 10;
      await until('it is asleep', async () => (await memoryOf(frozen)) === 'dropped');
      availableMb = 9_999;
      expect((await running.commands.run('echo here')).stdout).toBe('here\n');
      expect(await memoryOf(running)).toBeUndefined();
      const back = await Sandbox.connect(frozen.sandboxId, options);
      expect(await back.files.read('kept')).toBe('file');
      expect((await back.commands.list()).map(({ pid }) => pid)).not.toContain(sleep.pid);
      expect(await memoryOf(back)).toBe('dropped');
    },
  );

  it(
    '[SM7] frees the memory that an idle sandbox really uses, and the next one starts',
    { timeout: 60_000 },
    async () => {
      const [idle, used] = await Promise.all([
        Sandbox.create('base', options),
        Sandbox.create('base', options),
      ]);
      await hold(idle, 300);
      await hold(used, 100);
      const marked = await fetch(`${server.apiUrl}/ship/sandboxes/${idle.sandboxId}/evictable`, {
        method: 'POST',
        headers: { 'x-api-key': options.apiKey },
      });
      expect(marked.status).toBe(204);
      expect(await heldMb()).toBeGreaterThan(400);
      // 600 MB minus their memory is below the threshold.
      machineMb = 600;
      await until('it is asleep', async () => (await memoryOf(idle)) === 'dropped');
      const next = await Sandbox.create('base', options);
      expect((await next.commands.run('echo here')).stdout).toBe('here\n');
      expect(await heldMb()).toBeLessThan(200);
      expect(await memoryOf(used)).toBeUndefined();
      machineMb = null;
    },
  );
});
