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
const sockets = () => readdirSync(join(folder, 'doors'));
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

/** Closes its pipes, as happens when the server is killed. */
async function letGo({ child }: Launcher): Promise<void> {
  const exited = once(child, 'exit');
  for (const stream of child.stdio) stream?.destroy();
  expect(await exited).toEqual([0, null]);
}

async function waiting(): Promise<void> {
  launchers.refillSoon();
  await vi.waitFor(() => expect(sockets()).toHaveLength(1), { timeout: 30_000 });
}

it('a launcher without a plan exits with its server and does nothing', async () => {
  const launcher = await launchers.take();
  expect(existsSync(launcher.socketPath)).toBe(true);
  await letGo(launcher);
}, 60_000);

it('a truncated plan is not executed', async () => {
  const { child } = await launchers.take();
  const exited = once(child, 'exit');
  const pid = join(folder, 'pid');
  child.stdin?.end(`mode=root\0pid=${pid}\0--\0/bin/true\0`);
  expect(await exited).toEqual([0, null]);
  expect(existsSync(pid)).toBe(false);
}, 60_000);

it('the prewarmed launcher is taken; one that has died or lost its socket is replaced', async () => {
  await waiting();
  const [socket = ''] = sockets();
  const taken = await launchers.take();
  expect(taken.socketPath).toBe(join(folder, 'doors', socket));
  await letGo(taken);
  rmSync(taken.socketPath);

  await waiting();
  const [lost = ''] = sockets();
  rmSync(join(folder, 'doors', lost));
  const instead = await launchers.take();
  expect(instead.socketPath).not.toBe(join(folder, 'doors', lost));
  expect(instead.child.exitCode).toBeNull();
  await letGo(instead);
}, 60_000);

it('closing ends the prewarmed launcher and deletes its socket', async () => {
  await waiting();
  const taken = await launchers.take();
  const identity = identify(taken.child.pid ?? -1);
  await letGo(taken);
  rmSync(taken.socketPath);
  expect(identity !== undefined && isAlive(identity)).toBe(false);
  await waiting();
  launchers.close();
  expect(sockets()).toEqual([]);
}, 60_000);

it('the next server deletes the sockets of a killed one', async () => {
  writeFileSync(join(folder, 'doors', 'door-7'), '');
  open();
  expect(sockets()).toEqual([]);
});

it('a missing program is reported and leaves no socket', async () => {
  const broken = open('/nowhere/perl');
  await expect(broken.take()).rejects.toThrow('cannot start a sandbox');
  expect(sockets()).toEqual([]);
}, 60_000);
