/** Memory pressure with real sandboxes; only the machine's reading is made up. */
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
beforeAll(async () => {
  folder = await preparedDataFolder();
  server = await startSandboxServer({
    apiKey: 'memory-test-key',
    dataDir: join(folder, 'sandboxes'),
    readMemory: async () => ({ availableMb, stallPercent: undefined }),
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

describe('a machine short of memory', () => {
  it(
    '[SM1] ends the processes of a frozen sandbox, and its files come back',
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
});
