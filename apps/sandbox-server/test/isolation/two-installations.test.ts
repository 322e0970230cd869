/** Two data folders on one machine that use the same sandbox id: neither kills processes of the other. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { createBubblewrapBackend } from '../../src/isolation/index.ts';
import { runInside } from '../../src/isolation/run-inside.ts';
import { writeSkeleton } from '../../src/templates/skeleton.ts';

type Backend = Awaited<ReturnType<typeof createBubblewrapBackend>>;
const ID = 'the-same-id';
const LIMITS = { memoryMb: 512, cpuCount: 2, processes: 128, diskMb: 512 };

let folder: string;
let first: Backend;
let second: Backend;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ship-two-'));
  first = await createBubblewrapBackend({ dataFolder: join(folder, 'first') });
  second = await createBubblewrapBackend({ dataFolder: join(folder, 'second') });
  await first.importLayer('base', writeSkeleton);
  const egress = join(folder, 'egress');
  mkdirSync(egress);
  await first.start({
    id: ID,
    layer: 'base',
    limits: LIMITS,
    env: {},
    accessToken: undefined,
    egressSocket: join(egress, 's'),
  });
}, 60_000);
afterAll(async () => {
  await first.destroy(ID);
  for (const backend of [first, second]) await backend.release();
  removeFolder(folder);
}, 60_000);

/** Makes the second data folder look like after an interrupted start of the same id, whose launcher had this pid. */
function cutShort(pid: number): void {
  const sandbox = join(folder, 'second', 'sandboxes', ID);
  mkdirSync(sandbox, { recursive: true });
  writeFileSync(join(sandbox, 'pid'), `${pid}\n`);
}

const inside = async () =>
  (await runInside(first, ID, { command: ['/bin/echo', 'alive'] })).output.trim();

it('[UI7] destroying a sandbox after an interrupted start ends no process of another data folder', async () => {
  expect(await inside()).toBe('alive');
  const state = JSON.parse(
    readFileSync(join(folder, 'first', 'sandboxes', ID, 'state.json'), 'utf8'),
  ) as { run: { monitor: { pid: number }; init: { pid: number } } };
  // The pid of an exited launcher, and pids that the other installation's sandbox has now.
  for (const pid of [2 ** 22 + 1, state.run.monitor.pid, state.run.init.pid]) {
    cutShort(pid);
    await second.destroy(ID);
    expect(await first.presence(ID)).toBe('running');
    expect(await inside()).toBe('alive');
  }
}, 60_000);
