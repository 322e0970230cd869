import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { expect, it, onTestFinished } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { startSandboxServer } from '../../src/index.ts';
import { findTraces } from '../restart/traces.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

/** No other program on the machine sleeps for exactly this long. */
const MARK = `98765.${process.pid}`;

async function isAlive(): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.some((line) => line.includes(MARK));
}

it(
  '[SV7] a server that is stopped leaves no process behind, not even a frozen one',
  { timeout: 180_000 },
  async () => {
    const folder = await preparedDataFolder();
    onTestFinished(() => removeFolder(folder));
    const apiKey = 'stop-test-key';
    const server = await startSandboxServer({ apiKey, dataDir: join(folder, 'sandboxes') });
    const { apiUrl, sandboxUrl } = server;
    const sandbox = await Sandbox.create('base', { apiKey, apiUrl, sandboxUrl });
    await sandbox.commands.run(`sleep ${MARK}`, { background: true });
    await sandbox.pause();
    expect(await isAlive()).toBe(true);
    await server.close('stop');
    expect(await isAlive()).toBe(false);
  },
);

it(
  '[SV7] nor one that was being created or woken while it was stopped',
  { timeout: 180_000 },
  async () => {
    const folder = await preparedDataFolder();
    onTestFinished(() => removeFolder(folder));
    const apiKey = 'stop-test-key';
    for (const waitMs of [0, 20, 60, 120]) {
      const server = await startSandboxServer({ apiKey, dataDir: join(folder, 'sandboxes') });
      const { apiUrl, sandboxUrl } = server;
      const options = { apiKey, apiUrl, sandboxUrl, requestTimeoutMs: 20_000 };
      const asleep = await Sandbox.create('base', options);
      await asleep.pause({ keepMemory: false });
      const underWay = Promise.allSettled([
        ...Array.from({ length: 3 }, () => Sandbox.create('base', options)),
        Sandbox.connect(asleep.sandboxId, options),
      ]);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await server.close('stop');
      await underWay;
      const { processes } = await findTraces(folder, [], [process.pid]);
      expect([waitMs, processes]).toEqual([waitMs, []]);
    }
  },
);
