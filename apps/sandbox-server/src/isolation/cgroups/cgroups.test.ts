import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NoCgroups, parseCgroupMounts } from './index.ts';
import { CgroupsV1 } from './v1.ts';
import { CgroupsV2, delegatedFolder, ownV2Path } from './v2.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'cgroups-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const LIMITS = { memoryMb: 256, cpuCount: 1.5, processes: 64, diskMb: 1 };
const read = (...parts: string[]) => readFileSync(join(root, ...parts), 'utf8');

it('finds both versions in mountinfo', () => {
  const mounts = parseCgroupMounts(
    '30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n32 1 0:3 / /proc rw - proc proc rw',
  );
  expect(mounts.v1.get('cpu')).toBe('/sys/fs/cgroup/cpu,cpuacct');
  expect(mounts.v1.get('cpuacct')).toBe('/sys/fs/cgroup/cpu,cpuacct');
  expect(mounts.v2).toBe('/sys/fs/cgroup/unified');
  expect(ownV2Path('9:cpu:/x\n0::/user.slice/a.scope\n')).toBe('/user.slice/a.scope');
});

it('writes the limits of v1 and joins every tree', () => {
  const mounts = new Map(
    ['memory', 'cpu', 'pids', 'freezer'].map((name) => [name, join(root, name)]),
  );
  for (const folder of mounts.values()) mkdirSync(folder);
  const cgroups = new CgroupsV1(mounts, 'ship-test');
  expect([...cgroups.controllers].toSorted()).toEqual(['cpu', 'freezer', 'memory', 'pids']);
  const files = cgroups.create('a', LIMITS);
  expect(files).toHaveLength(4);
  expect(read('memory/ship-test/a/memory.limit_in_bytes')).toBe(String(256 * 1024 * 1024));
  expect(read('cpu/ship-test/a/cpu.cfs_quota_us')).toBe('150000');
  expect(read('pids/ship-test/a/pids.max')).toBe('64');
  writeFileSync(join(root, 'pids/ship-test/a/cgroup.procs'), '7\n8\n');
  expect(cgroups.pids('a')).toEqual([7, 8]);
  expect(cgroups.list()).toEqual(['a']);
});

it('freezes and thaws v1 through its file', async () => {
  const folder = join(root, 'freezer');
  mkdirSync(folder);
  const cgroups = new CgroupsV1(new Map([['freezer', folder]]), 'ship-test');
  cgroups.create('a', LIMITS);
  expect(cgroups.isFrozen('a')).toBe(false);
  await cgroups.freeze('a');
  expect(cgroups.isFrozen('a')).toBe(true);
  await cgroups.thaw('a');
  expect(cgroups.isFrozen('a')).toBe(false);
});

it('uses only the v1 trees in which it can create groups', () => {
  const cgroups = new CgroupsV1(
    new Map([
      ['memory', join(root, 'absent', '\0')],
      ['pids', root],
    ]),
    'ship-test',
  );
  expect([...cgroups.controllers]).toEqual(['pids']);
});

it('writes the limits of v2', () => {
  mkdirSync(join(root, 'ship-test'), { recursive: true });
  const cgroups = new CgroupsV2(root, 'ship-test', root);
  const files = cgroups.create('a', LIMITS);
  expect(files).toEqual([join(root, 'ship-test/a/cgroup.procs')]);
  expect(read('ship-test/a/memory.max')).toBe(String(256 * 1024 * 1024));
  expect(read('ship-test/a/cpu.max')).toBe('150000 100000');
  writeFileSync(join(root, 'ship-test/a/cgroup.events'), 'populated 1\nfrozen 1\n');
  expect(cgroups.isFrozen('a')).toBe(true);
  writeFileSync(join(root, 'ship-test/a/memory.current'), '1000');
  writeFileSync(join(root, 'ship-test/a/memory.stat'), 'anon 600\nfile 400\n');
  expect(cgroups.stats('a')).toMatchObject({ memoryBytes: 600, cacheBytes: 400 });
});

it('[UI6] creates v2 groups at the root as root, and otherwise in the delegated group', () => {
  const own = '/user.slice/user@1000.service/app.slice/ship.scope';
  mkdirSync(join(root, own), { recursive: true });
  expect(delegatedFolder(root, own, 'ship-test')).toBe(root);
  expect(existsSync(join(root, 'ship-test'))).toBe(false);
  expect(delegatedFolder(join(root, 'x\0'), own, 'ship-test')).toBeUndefined();
  expect(delegatedFolder(join(root, 'x\0'), '/', 'ship-test')).toBeUndefined();
});

it('[UI6] moves its own processes into a leaf group, so that the kernel delegates controllers', () => {
  writeFileSync(join(root, 'cgroup.procs'), '41\n42\n');
  const cgroups = new CgroupsV2(root, 'ship-test', join(root, '..'));
  expect(read('ship-test-host/cgroup.procs')).toBe('42');
  expect(cgroups.controllers.has('memory')).toBe(true);
});

it('without cgroups nothing is claimed', async () => {
  const none = new NoCgroups();
  expect(none.create()).toEqual([]);
  await expect(none.freeze()).rejects.toThrow('freezer');
});
