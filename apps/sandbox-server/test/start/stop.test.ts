import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { expect, it, onTestFinished } from 'vitest';
import { startSandboxServer } from '../../src/index.ts';

/** No other program on the machine sleeps exactly so long. */
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
    const folder = await mkdtemp(join(tmpdir(), 'ship-stop-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
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
