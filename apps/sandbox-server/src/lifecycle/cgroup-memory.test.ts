import { describe, expect, it } from 'vitest';

import { cgroupAvailableMb } from './cgroup-memory.ts';

const MB = 2 ** 20;
const reader = (files: Record<string, string>) => async (path: string) => files[path] ?? '';

describe('memory within the cgroups of this process', () => {
  it('[SM8] version 2: the tightest limit among the ancestors counts, without reclaimable cache', async () => {
    const read = reader({
      '/proc/self/cgroup': '0::/outer/inner\n',
      '/sys/fs/cgroup/outer/inner/memory.max': 'max\n',
      '/sys/fs/cgroup/outer/inner/memory.current': `${900 * MB}\n`,
      '/sys/fs/cgroup/outer/memory.max': `${1_000 * MB}\n`,
      '/sys/fs/cgroup/outer/memory.current': `${900 * MB}\n`,
      '/sys/fs/cgroup/outer/memory.stat': `anon 5\ninactive_file ${100 * MB}\n`,
    });
    expect(await cgroupAvailableMb(read)).toBe(200);
  });

  it('[SM8] in a container the root of the hierarchy has the limit', async () => {
    const read = reader({
      '/proc/self/cgroup': '0::/../../docker/abc\n',
      '/sys/fs/cgroup/memory.max': `${512 * MB}\n`,
      '/sys/fs/cgroup/memory.current': `${500 * MB}\n`,
    });
    expect(await cgroupAvailableMb(read)).toBe(12);
  });

  it('[SM8] version 1', async () => {
    const read = reader({
      '/proc/self/cgroup': '5:devices:/\n4:memory:/job\n0::/\n',
      '/sys/fs/cgroup/memory/job/memory.limit_in_bytes': `${300 * MB}\n`,
      '/sys/fs/cgroup/memory/job/memory.usage_in_bytes': `${200 * MB}\n`,
      '/sys/fs/cgroup/memory/job/memory.stat': `total_inactive_file ${50 * MB}\n`,
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': `${900 * MB}\n`,
    });
    expect(await cgroupAvailableMb(read)).toBe(150);
  });

  it('[SM8] no limit or no cgroups means no shortage; usage above the limit leaves nothing', async () => {
    expect(await cgroupAvailableMb(reader({}))).toBe(Number.POSITIVE_INFINITY);
    const over = reader({
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/memory.max': `${1 * MB}\n`,
      '/sys/fs/cgroup/memory.current': `${2 * MB}\n`,
    });
    expect(await cgroupAvailableMb(over)).toBe(0);
  });
});
