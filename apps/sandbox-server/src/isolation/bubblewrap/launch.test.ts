import { describe, expect, it } from 'vitest';
import { bwrapArguments, insideCommand, STAGED } from './arguments.ts';
import { findHostTools, missingPackages } from './host-tools.ts';
import { fileOwners, freeSlot, identityFor, SUBORDINATE_COUNT } from './identity.ts';
import { launchPlan, rootOptions } from './launch-plan.ts';
import { layoutOf, sandboxPaths } from './layout.ts';
import { describeLimits, explainFailure } from './probe.ts';
import { parseStat } from './procfs.ts';
import { cpuPercent } from './usage.ts';
import { nextMeasurement } from './watchdog.ts';

const tools = findHostTools((name) => `/usr/bin/${name}`);
const limits = { memoryMb: 512, cpuCount: 1, processes: 10, diskMb: 100 };

const ranges = (slot: number, mode: 'root' | 'subordinate') => {
  const identity = identityFor(slot, mode);
  if (identity.mode === 'single') throw new Error('one id has no map');
  const lines = identity.idMap.split('\n').map((line) => line.split(' ').map(Number));
  return lines.map(([inside = -1, outside = -1, count = 0]) => ({ inside, outside, count }));
};

describe('identity', () => {
  it.each([
    ['root', 0x7000_0000, 65_535],
    ['subordinate', 1, 32_767],
  ] as const)(
    'as %s never maps the server itself, and every sandbox has its own creator id',
    (mode, lowest, lastSlot) => {
      const maps = [0, 1, lastSlot].map((slot) => ranges(slot, mode));
      expect(new Set(maps.map((map) => JSON.stringify(map))).size).toBe(3);
      for (const { outside } of maps.flat()) expect(outside).toBeGreaterThanOrEqual(lowest);
      for (const map of maps) {
        const ordered = map.toSorted((one, other) => one.outside - other.outside);
        for (const [index, { outside, count }] of ordered.entries())
          expect(outside + count).toBeLessThanOrEqual(ordered[index + 1]?.outside ?? Infinity);
      }
      expect(() => identityFor(lastSlot + 1, mode)).toThrow('no uid left');
    },
  );

  it('as root maps 65,536 ids without a gap or an overlap', () => {
    let next = 0;
    for (const { inside, count } of ranges(0, 'root')) {
      expect(inside).toBe(next);
      next += count;
    }
    expect(next).toBe(65_536);
  });

  it('stays within the subordinate ids that a user has', () => {
    for (const { outside, count } of ranges(32_767, 'subordinate'))
      expect(outside + count - 1).toBeLessThanOrEqual(SUBORDINATE_COUNT);
  });

  it('gives files two owners, or leaves them where there is one id', () => {
    expect(fileOwners('subordinate')).toEqual({ root: 1, user: 1001 });
    expect(fileOwners('single')).toBeUndefined();
  });

  it('takes the lowest free slot', () => {
    expect(freeSlot(new Set([0, 1, 3]))).toBe(2);
  });
});

describe('names and paths', () => {
  it.each(['../x', 'a/b', '', '.hidden', 'a,b', 'a:b', 'x'.repeat(101), 'a\nb'])(
    'refuses the id %j',
    (id) => {
      expect(() => sandboxPaths(layoutOf('/data'), id)).toThrow('invalid sandbox id');
    },
  );

  it('two data folders never share cgroups', () => {
    expect(layoutOf('/a').instance).not.toBe(layoutOf('/b').instance);
  });
});

describe('the launch plan', () => {
  const mounts = {
    lowers: ['snap/fs', 'base/fs'],
    upper: '../sandboxes/a/upper',
    work: '../sandboxes/a/work',
    readOnly: ['/var/lib/x'],
    runtime: ['../runtime/r', '../runtime/empty'] as const,
    egressFolder: '/run/my folder/a',
    sharedFolders: ['/d/tools'],
  };
  const plan = {
    tools,
    userNamespace: undefined,
    architecture: 'x64' as const,
    pidFile: '/d/pid',
    layersFolder: '/d/layers',
    instance: 'ship-test',
    mounts,
    cgroupFiles: ['/cg/tasks'],
    insideCommand: ['/x', 'a b'],
    maxFileBytes: 1024,
  };

  it('names no folder of the host in the overlay options', () => {
    expect(rootOptions(mounts)).toBe(
      'lowerdir=snap/fs:base/fs,upperdir=../sandboxes/a/upper,workdir=../sandboxes/a/work,userxattr',
    );
  });

  it('refuses more layers than a mount can name', () => {
    const lowers = Array.from({ length: 80 }, (_, index) => `${'x'.repeat(60)}${index}/fs`);
    expect(() => rootOptions({ ...mounts, lowers })).toThrow('stacked snapshots');
  });

  it('with two ids drops to the creator id; with one creates a user namespace', () => {
    const asRoot = launchPlan({ ...plan, identity: identityFor(7, 'root') });
    expect(asRoot).toEqual(
      expect.arrayContaining([
        `creator=${0x7000_0000 + 65_536 + 7}`,
        'owner=1879048192',
        'readonly=/var/lib/x',
        'namespaces=131072',
        'sys.mount=165',
        'cgroup=/cg/tasks',
        'shared=/d/tools',
      ]),
    );
    expect(asRoot.slice(-5)).toEqual(['--args', '3', '--', '/x', 'a b']);
    const single = launchPlan({ ...plan, architecture: 'arm64', identity: { mode: 'single' } });
    expect(single).toEqual(expect.arrayContaining(['namespaces=268566528', 'sys.mount=40']));
    expect(single.join(' ')).not.toContain('creator=');
    const subordinate = launchPlan({
      ...plan,
      userNamespace: '/proc/1/fd/9',
      identity: identityFor(0, 'subordinate'),
    });
    expect(subordinate).toEqual(
      expect.arrayContaining([
        'namespaces=131072',
        'users=/proc/1/fd/9',
        'creator=32769',
        'owner=1',
      ]),
    );
  });
});

describe('the profile', () => {
  const base = {
    hostname: 'sandbox',
    limits,
    hasEgress: true,
    procNames: new Set(['kcore', 'acpi']),
    extraSystemFolders: [],
    shared: [{ target: '/run/tools' }],
  };
  const text = (ids: 'two ids' | 'one id') =>
    bwrapArguments({ ...base, separateRoot: ids === 'two ids' }).join(' ');

  it.each(['two ids', 'one id'] as const)(
    'with %s it shares no namespace and sizes every tmpfs',
    (ids) => {
      for (const kind of ['user', 'pid', 'net', 'ipc', 'uts', 'cgroup'])
        expect(text(ids)).toContain(`--unshare-${kind}`);
      expect(text(ids)).not.toContain('--share-net');
      expect(text(ids)).toContain('--seccomp 4');
      expect(text(ids)).toContain(`--size ${256 * 1024 * 1024} --tmpfs /tmp`);
      expect(text(ids)).toContain(`--bind ${STAGED.root}/usr/local /usr/local`);
      expect(text(ids)).toContain('--ro-bind /mnt/shared0 /run/tools');
      expect(text(ids)).toContain('/proc/kcore');
      expect(text(ids)).not.toContain('/proc/keys');
    },
  );

  it('one id inside has no capability; root inside has none that affects the host', () => {
    expect(text('one id')).toContain('--uid 1000 --gid 1000 --disable-userns');
    expect(text('one id')).not.toContain('--cap-add');
    expect(text('two ids')).not.toMatch(/CAP_SYS_|CAP_NET_ADMIN|CAP_NET_RAW|CAP_MKNOD/);
  });

  it('limits processes by the uid where there is no pids controller', () => {
    expect(insideCommand({ maxProcesses: 9, command: ['x'] }).join(' ')).toBe(
      '/usr/bin/prlimit --nproc=9:9 -- x',
    );
    expect(insideCommand({ maxProcesses: undefined, command: ['x'] })).toEqual(['x']);
  });
});

describe('the probe', () => {
  const fine = {
    platform: 'linux',
    unprivilegedUserns: undefined,
    apparmorRestriction: undefined,
    maxUserNamespaces: '1000',
  };

  it.each([
    ['x', { ...fine, platform: 'darwin' }, 'E2B_API_KEY'],
    ['x', { ...fine, unprivilegedUserns: '0' }, 'kernel.unprivileged_userns_clone=1'],
    ['x', { ...fine, maxUserNamespaces: '0' }, 'user.max_user_namespaces'],
    ['bwrap: No permissions', { ...fine, apparmorRestriction: '1' }, 'apparmor_parser'],
    ['mount: overlay: wrong fs type', fine, '--data DIR'],
    ["bwrap: Can't mount proc on /newroot/proc", fine, 'systempaths=unconfined'],
    ['Operation not permitted', fine, 'user namespaces'],
    ['something else', fine, 'E2B_API_KEY'],
  ])('%s is answered with a remedy', (message, switches, remedy) => {
    expect(explainFailure(message, switches).remedy).toContain(remedy);
  });

  it('reports which limits are hard, soft or absent', () => {
    const all = describeLimits(
      { version: 'v1', controllers: new Set(['memory', 'cpu', 'pids', 'freezer']) },
      { mode: 'root', weakness: undefined },
      true,
    );
    expect(all.limits).toEqual({ memory: 'hard', cpu: 'hard', processes: 'hard', disk: 'soft' });
    const none = describeLimits(
      { version: 'none', controllers: new Set() },
      { mode: 'single', weakness: 'sudo apt-get install -y uidmap' },
      false,
    );
    expect(none.limits).toEqual({ memory: 'soft', cpu: 'none', processes: 'hard', disk: 'soft' });
    expect(none.separateRoot).toBe(false);
    expect(none.notes.join('\n')).toContain('uidmap');
    expect(none.notes.length).toBeGreaterThan(all.notes.length);
  });

  it('names missing packages', () => {
    expect(missingPackages((name) => (name === 'bwrap' ? undefined : name))).toEqual([
      'bubblewrap',
    ]);
  });
});

it('reads a stat line whose command contains blanks and parentheses', () => {
  const line = '42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 7 3 0 0 20 0 1 0 12345 1000 10';
  expect(parseStat(line)).toEqual({ state: 'S', startTicks: 12_345, cpuTicks: 10 });
});

it('counts two busy processors as 200 percent', () => {
  expect(cpuPercent(undefined, { atMs: 1000, nanoseconds: 5 })).toBe(0);
  expect(cpuPercent({ atMs: 0, nanoseconds: 0 }, { atMs: 1000, nanoseconds: 2e9 })).toBe(200);
});

it('a folder that is slow to measure is measured less often', () => {
  expect(nextMeasurement(0, 10)).toBe(2000);
  expect(nextMeasurement(0, 1000)).toBe(20_000);
});
