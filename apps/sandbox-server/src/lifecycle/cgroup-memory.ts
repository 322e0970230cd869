/** Memory limits of cgroups: in a container, `/proc/meminfo` describes the whole machine, not the container's share. */

type ReadText = (path: string) => Promise<string>;

interface Hierarchy {
  root: string;
  limit: string;
  usage: string;
  /** The line of `memory.stat` with the page cache that the kernel reclaims first. */
  cache: RegExp;
}

const VERSION_1: Hierarchy = {
  root: '/sys/fs/cgroup/memory',
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  cache: /^total_inactive_file (\d+)$/m,
};
const VERSION_2: Hierarchy = {
  root: '/sys/fs/cgroup',
  limit: 'memory.max',
  usage: 'memory.current',
  cache: /^inactive_file (\d+)$/m,
};
/** Version 1 encodes "no limit" as a number larger than any machine's memory. */
const NO_LIMIT_BYTES = 2 ** 60;

/** Memory left below the tightest limit of this process's cgroups; infinite without a limit. */
export async function cgroupAvailableMb(read: ReadText): Promise<number> {
  const groups = (await read('/proc/self/cgroup')).split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    if (controllers === '') return foldersOf(VERSION_2, path);
    return controllers.split(',').includes('memory') ? foldersOf(VERSION_1, path) : [];
  });
  const left = await Promise.all(groups.map((group) => leftIn(group, read)));
  return Math.min(Number.POSITIVE_INFINITY, ...left) / 2 ** 20;
}

type Group = Hierarchy & { folder: string };

/** All ancestors from the root: a limit of an ancestor applies too. */
function foldersOf(hierarchy: Hierarchy, path: string): Group[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  return [...parts.keys(), parts.length].map((depth) => ({
    ...hierarchy,
    folder: [hierarchy.root, ...parts.slice(0, depth)].join('/'),
  }));
}

async function leftIn({ folder, limit, usage, cache }: Group, read: ReadText): Promise<number> {
  const limitBytes = Number.parseInt(await read(`${folder}/${limit}`), 10);
  if (!(limitBytes < NO_LIMIT_BYTES)) return Number.POSITIVE_INFINITY;
  const [used, stat] = await Promise.all([
    read(`${folder}/${usage}`),
    read(`${folder}/memory.stat`),
  ]);
  const usedBytes = (Number.parseInt(used, 10) || 0) - Number(cache.exec(stat)?.[1] ?? 0);
  return Math.max(0, limitBytes - usedBytes);
}
