import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Sandbox } from 'e2b';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { until } from '../conformance/target.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { findTraces, NO_TRACES, thawCgroups } from './traces.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

/** Replaces the file by a rename: truncated and rewritten, it would be empty at times. */
const COUNTER =
  'n=0; while true; do n=$((n+1)); echo tick $n; echo $n >/tmp/next; mv /tmp/next /tmp/count; sleep 0.05; done';
const SANDBOXES = 10;

let dataDir = '';
let server: ServerProcess;
// One data folder for all: the template is built once.
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ship-restart-'));
  server = await startServer(dataDir);
}, 120_000);
afterEach(async () => {
  const left = await Sandbox.list({ ...server.options, limit: 100 }).nextItems();
  await Promise.allSettled(left.map(({ sandboxId }) => Sandbox.kill(sandboxId, server.options)));
}, 60_000);
afterAll(async () => {
  await server.terminate();
  removeFolder(dataDir);
}, 60_000);

async function restart(poolSize = 0): Promise<void> {
  await server.kill();
  server = await startServer(dataDir, poolSize);
}

const reconnect = (id: string): Promise<Sandbox> => Sandbox.connect(id, server.options);

describe('kill -9 of the server', () => {
  it(
    `finds ${SANDBOXES} running sandboxes again, their processes alive and re-attachable, and then leaves nothing`,
    { timeout: 120_000 },
    async () => {
      const made = await Promise.all(
        Array.from({ length: SANDBOXES }, async (_, index) => {
          const options = {
            ...server.options,
            timeoutMs: 600_000,
            metadata: { index: String(index) },
          };
          const sandbox = await Sandbox.create('base', options);
          const { pid } = await sandbox.commands.run(COUNTER, { background: true, timeoutMs: 0 });
          await until('it counts', () => sandbox.files.exists('/tmp/count'));
          return { id: sandbox.sandboxId, pid, index };
        }),
      );
      const ids = made.map(({ id }) => id);
      await restart();

      const listed = await Sandbox.list({ ...server.options, limit: 100 }).nextItems();
      expect(listed.map(({ sandboxId }) => sandboxId).toSorted()).toEqual(ids.toSorted());
      for (const { id, pid, index } of made) {
        const sandbox = await reconnect(id);
        expect((await sandbox.getInfo()).metadata).toEqual({ index: String(index) });
        const before = Number(await sandbox.files.read('/tmp/count'));
        let output = '';
        const handle = await sandbox.commands.connect(pid, {
          onStdout: (text) => void (output += text),
        });
        await until('the stream continues', async () => output.includes('tick'));
        expect(Number(await sandbox.files.read('/tmp/count'))).toBeGreaterThanOrEqual(before);
        await handle.disconnect();
      }

      await Promise.all(ids.map((id) => Sandbox.kill(id, server.options)));
      expect(await findTraces(dataDir, ids, [server.pid])).toEqual(NO_TRACES);
    },
  );

  it('keeps timers, pauses, rules and snapshots', { timeout: 120_000 }, async () => {
    const create = (more: object): Promise<Sandbox> =>
      Sandbox.create('base', { ...server.options, timeoutMs: 600_000, ...more });
    const short = await create({ timeoutMs: 3_000 });
    const frozen = await create({});
    const sleeping = await frozen.commands.run('sleep 1000', { background: true, timeoutMs: 0 });
    await frozen.pause();
    const stopped = await create({});
    await stopped.files.write('kept', 'file');
    await stopped.pause({ keepMemory: false });
    const offline = await create({ allowInternetAccess: false });
    const snapshot = await stopped
      .connect()
      .then((sandbox) => sandbox.createSnapshot({ name: 'across' }));
    await stopped.pause({ keepMemory: false });
    await restart();

    expect((await reconnect(frozen.sandboxId)).sandboxId).toBe(frozen.sandboxId);
    const thawed = await reconnect(frozen.sandboxId);
    expect((await thawed.commands.list()).map(({ pid }) => pid)).toContain(sleeping.pid);
    expect(await (await reconnect(stopped.sandboxId)).files.read('kept')).toBe('file');
    const online = await reconnect(offline.sandboxId);
    const { stdout } = await online.commands.run('curl -s -m 5 http://registry.npmjs.org/');
    expect(stdout).toContain('sandbox-deny');
    const copy = await create({ ...server.options }).then(async (sandbox) => {
      await sandbox.kill();
      return Sandbox.create(snapshot.snapshotId, { ...server.options, timeoutMs: 60_000 });
    });
    expect(await copy.files.read('kept')).toBe('file');
    await until('the short one has ended on time', async () => {
      const info = await Sandbox.getInfo(short.sandboxId, server.options).catch(() => undefined);
      return info === undefined;
    });
    await Sandbox.deleteSnapshot(snapshot.snapshotId, server.options);
  });

  it(
    'restores a sandbox whose processes died from its files, and reports that',
    { timeout: 60_000 },
    async () => {
      const sandbox = await Sandbox.create('base', { ...server.options, timeoutMs: 600_000 });
      const id = sandbox.sandboxId;
      await sandbox.files.write('kept', 'file');
      await sandbox.pause();
      await server.kill();
      // As after a restart of the machine: the frozen processes are gone, the files exist.
      const state = join(dataDir, 'isolation', 'sandboxes', id, 'state.json');
      const { run } = JSON.parse(await readFile(state, 'utf8')) as {
        run: { init: { pid: number } };
      };
      process.kill(run.init.pid, 'SIGKILL');
      await thawCgroups(id);
      server = await startServer(dataDir);
      const details = await server.api(`/ship/sandboxes/${id}`);
      expect(details).toMatchObject({ state: 'paused' });
      const back = await reconnect(id);
      expect(await back.files.read('kept')).toBe('file');
      expect((await back.getInfo()).metadata).toHaveProperty(['ship.processesLostAt']);
      expect(await server.api(`/ship/sandboxes/${id}`)).toMatchObject({
        processesLostAt: expect.any(String),
      });
    },
  );

  it('[UI5] during starts and ends leaves no partial sandbox', { timeout: 120_000 }, async () => {
    for (const waitMs of [5, 40, 120, 300]) {
      const attempts = Array.from({ length: 4 }, () =>
        Sandbox.create('base', { ...server.options, requestTimeoutMs: 20_000 }).catch(
          () => undefined,
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await restart();
      await Promise.all(attempts);
      const listed = await Sandbox.list({ ...server.options, limit: 100 }).nextItems();
      for (const { sandboxId } of listed) {
        const found = await reconnect(sandboxId);
        expect((await found.commands.run('echo whole')).stdout).toBe('whole\n');
        await found.kill();
      }
    }
    for (const folder of ['isolation/sandboxes', 'egress', 'state/sandboxes', 'state/ledgers']) {
      expect([folder, await readdir(join(dataDir, folder))]).toEqual([folder, []]);
    }
    expect(await findTraces(dataDir, [], [server.pid])).toEqual(NO_TRACES);
  });

  it('the warm pool survives or is cleaned up', { timeout: 60_000 }, async () => {
    const ready = async (): Promise<number> => {
      const pool = (await server.api('/ship/pool')) as { base: { ready: number } };
      return pool.base.ready;
    };
    await restart(2);
    await until('the pool is full', async () => (await ready()) === 2);
    await restart(2);
    await until('the pool is full again', async () => (await ready()) === 2);
    const claimed = await Sandbox.create('base', { ...server.options, envs: { CLAIMED: 'yes' } });
    expect((await claimed.commands.run('echo $CLAIMED')).stdout).toBe('yes\n');
    await claimed.kill();
    await restart(0);
    expect(await readdir(join(dataDir, 'isolation', 'sandboxes'))).toEqual([]);
    expect(await findTraces(dataDir, [claimed.sandboxId], [server.pid])).toEqual(NO_TRACES);
  });
});

describe('a clean shutdown', () => {
  it('keeps the files of every sandbox for the next start', { timeout: 60_000 }, async () => {
    const sandbox = await Sandbox.create('base', { ...server.options, timeoutMs: 600_000 });
    await sandbox.files.write('kept', 'file');
    await server.terminate();
    expect((await findTraces(dataDir, [sandbox.sandboxId], [])).processes).toEqual([]);
    server = await startServer(dataDir);
    expect(await (await reconnect(sandbox.sandboxId)).files.read('kept')).toBe('file');
  });
});
