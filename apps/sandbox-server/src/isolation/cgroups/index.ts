/** Picks the cgroup version that this machine permits. */
import { readFileSync } from 'node:fs';
import { readText } from './files.ts';
import type { CgroupStats, Cgroups, Controller } from './types.ts';
import { CgroupsV1 } from './v1.ts';
import { CgroupsV2, delegatedFolder, ownV2Path } from './v2.ts';

export type { Cgroups } from './types.ts';

export interface CgroupMounts {
  /** v1: controller → mount point. */
  v1: Map<string, string>;
  v2: string | undefined;
}

/** Parses /proc/self/mountinfo: the type follows the lone dash, v1's controllers are in the last field. */
export function parseCgroupMounts(mountinfo: string): CgroupMounts {
  const mounts: CgroupMounts = { v1: new Map(), v2: undefined };
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const point = left.split(' ')[4];
    const [type, , options = ''] = right.split(' ');
    if (point === undefined) continue;
    if (type === 'cgroup2') mounts.v2 = point;
    if (type === 'cgroup') for (const option of options.split(',')) mounts.v1.set(option, point);
  }
  return mounts;
}

export function openCgroups(instance: string): Cgroups {
  const mounts = parseCgroupMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  const v1 = new CgroupsV1(mounts.v1, instance);
  if (v1.controllers.size > 0) return v1;
  if (mounts.v2 !== undefined) {
    const own = ownV2Path(readText('/proc/self/cgroup') ?? '');
    const folder = delegatedFolder(mounts.v2, own, instance);
    if (folder !== undefined) return new CgroupsV2(folder, instance, mounts.v2);
  }
  return new NoCgroups();
}

/** No access to any cgroup: signals freeze, and rlimits and the watchdog enforce limits. */
export class NoCgroups implements Cgroups {
  readonly version = 'none';
  readonly controllers: ReadonlySet<Controller> = new Set();

  create(): string[] {
    return [];
  }
  adopt(): void {}
  async freeze(): Promise<void> {
    throw new Error('no freezer controller');
  }
  async thaw(): Promise<void> {
    throw new Error('no freezer controller');
  }
  isFrozen(): boolean {
    return false;
  }
  pids(): number[] {
    return [];
  }
  stats(): CgroupStats {
    return {
      memoryBytes: undefined,
      cacheBytes: undefined,
      cpuNanoseconds: undefined,
      processes: undefined,
    };
  }
  async remove(): Promise<void> {}
  list(): string[] {
    return [];
  }
}
