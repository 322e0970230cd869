import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findHostTools } from './host-tools.ts';
import { Launchers, type Launcher } from './launchers.ts';
import { isAlive, identify } from './procfs.ts';

let folder: string;
let launchers: Launchers;
const doors = () => readdirSync(join(folder, 'doors'));
const open = (perl = findHostTools().perl) =>
  new Launchers({
    perl,
    seccompFile: join(folder, 'seccomp'),
    folder: join(folder, 'doors'),
    instance: 'ship-test',
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ship-launchers-'));
  writeFileSync(join(folder, 'seccomp'), '');
  launchers = open();
});
afterEach(() => {
  launchers.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Its pipes close, as they do when the server is killed. */
async function letGo({ child }: Launcher): Promise<void> {
  const exited = once(child, 'exit');
  for (const stream of child.stdio) stream?.destroy();
  expect(await exited).toEqual([0, null]);
}

async function waiting(): Promise<void> {
  launchers.refillSoon();
  await vi.waitFor(() => expect(doors()).toHaveLength(1), { timeout: 30_000 });
}

it('a launcher without a plan ends with its server and has done nothing', async () => {
  const launcher = await launchers.take();
  expect(existsSync(launcher.doorPath)).toBe(true);
  await letGo(launcher);
}, 60_000);

it('a plan that was cut off is not begun', async () => {
  const { child } = await launchers.take();
  const exited = once(child, 'exit');
  const pid = join(folder, 'pid');
  child.stdin?.end(`mode=root\0pid=${pid}\0--\0/bin/true\0`);
  expect(await exited).toEqual([0, null]);
  expect(existsSync(pid)).toBe(false);
}, 60_000);

it('the one that waits is taken; one that has died or lost its door is replaced', async () => {
  await waiting();
  const [door = ''] = doors();
  const taken = await launchers.take();
  expect(taken.doorPath).toBe(join(folder, 'doors', door));
  await letGo(taken);
  rmSync(taken.doorPath);

  await waiting();
  const [lost = ''] = doors();
  rmSync(join(folder, 'doors', lost));
  const instead = await launchers.take();
  expect(instead.doorPath).not.toBe(join(folder, 'doors', lost));
  expect(instead.child.exitCode).toBeNull();
  await letGo(instead);
}, 60_000);

it('closing ends the one that waits and takes its door away', async () => {
  await waiting();
  const taken = await launchers.take();
  const identity = identify(taken.child.pid ?? -1);
  await letGo(taken);
  rmSync(taken.doorPath);
  expect(identity !== undefined && isAlive(identity)).toBe(false);
  await waiting();
  launchers.close();
  expect(doors()).toEqual([]);
}, 60_000);

it('doors of a server that was killed are taken away by the next one', async () => {
  writeFileSync(join(folder, 'doors', 'door-7'), '');
  open();
  expect(doors()).toEqual([]);
});

it('a missing program is told and leaves no door', async () => {
  const broken = open('/nowhere/perl');
  await expect(broken.take()).rejects.toThrow('cannot start a sandbox');
  expect(doors()).toEqual([]);
}, 60_000);
