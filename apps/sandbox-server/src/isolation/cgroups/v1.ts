/** cgroup v1: one tree per controller. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '../backend.ts';
import {
  canCreateGroupIn,
  readField,
  readNumber,
  readPids,
  readText,
  removeGroup,
  removeParentIfEmpty,
  subfolders,
  tryWrite,
  waitFor,
} from './files.ts';
import {
  CPU_PERIOD_MICROSECONDS,
  cpuQuota,
  type CgroupStats,
  type Cgroups,
  type Controller,
} from './types.ts';

/** v1 accounts CPU time in a separate controller, often mounted together with `cpu`. */
type Tree = Controller | 'cpuacct';
const TREES: readonly Tree[] = ['memory', 'cpu', 'cpuacct', 'pids', 'freezer'];

export class CgroupsV1 implements Cgroups {
  readonly version = 'v1';
  readonly controllers: ReadonlySet<Controller>;
  readonly #parents: Map<Tree, string>;

  /** `mounts`: controller → mount point of its tree. */
  constructor(mounts: ReadonlyMap<string, string>, instance: string) {
    const usable = TREES.flatMap((tree) => {
      const mount = mounts.get(tree);
      return mount !== undefined && canCreateGroupIn(mount, instance)
        ? [[tree, join(mount, instance)] as const]
        : [];
    });
    this.#parents = new Map(usable);
    this.controllers = new Set(
      usable.map(([tree]) => tree).filter((tree): tree is Controller => tree !== 'cpuacct'),
    );
  }

  #file(tree: Tree, id: string, name: string): string | undefined {
    const parent = this.#parents.get(tree);
    return parent === undefined ? undefined : join(parent, id, name);
  }

  create(id: string, limits: Limits): string[] {
    const groups = [...this.#parents].map(([tree, parent]) => [tree, join(parent, id)] as const);
    for (const [, group] of groups) mkdirSync(group, { recursive: true });
    const set = (tree: Tree, name: string, value: number) => {
      const file = this.#file(tree, id, name);
      if (file !== undefined) writeFileSync(file, String(value));
    };
    const memoryBytes = limits.memoryMb * 1024 * 1024;
    set('memory', 'memory.limit_in_bytes', memoryBytes);
    const swap = this.#file('memory', id, 'memory.memsw.limit_in_bytes');
    if (swap !== undefined) tryWrite(swap, String(memoryBytes));
    set('cpu', 'cpu.cfs_period_us', CPU_PERIOD_MICROSECONDS);
    set('cpu', 'cpu.cfs_quota_us', cpuQuota(limits.cpuCount));
    set('pids', 'pids.max', limits.processes);
    // Controllers that are mounted together are one folder: joining it once is enough, twice does no harm.
    // Uses `tasks`, which moves one thread: `cgroup.procs` waits for every processor to release a lock.
    return [...new Set(groups.map(([, group]) => join(group, 'tasks')))];
  }

  /** The v1 tree is the same for every server of a data folder. */
  adopt(): void {}

  async freeze(id: string): Promise<void> {
    const file = this.#file('freezer', id, 'freezer.state');
    if (file === undefined) throw new Error('no freezer controller');
    try {
      await waitFor(() => {
        // Written again each time: a process that forked while it froze keeps the group in FREEZING until then.
        writeFileSync(file, 'FROZEN');
        return readText(file) === 'FROZEN';
      }, `freezing ${id}`);
    } catch (error) {
      // Half frozen is neither paused nor running: the sandbox continues, and the caller gets the error.
      writeFileSync(file, 'THAWED');
      throw error;
    }
  }

  async thaw(id: string): Promise<void> {
    const file = this.#file('freezer', id, 'freezer.state');
    if (file === undefined) throw new Error('no freezer controller');
    writeFileSync(file, 'THAWED');
    await waitFor(() => readText(file) === 'THAWED', `thawing ${id}`);
  }

  isFrozen(id: string): boolean {
    const file = this.#file('freezer', id, 'freezer.state');
    return file !== undefined && (readText(file) ?? 'THAWED') !== 'THAWED';
  }

  pids(id: string): number[] {
    const all = [...this.#parents.keys()].flatMap((tree) =>
      readPids(this.#file(tree, id, 'cgroup.procs') ?? ''),
    );
    return [...new Set(all)];
  }

  stats(id: string): CgroupStats {
    const number = (tree: Tree, name: string) => {
      const file = this.#file(tree, id, name);
      return file === undefined ? undefined : readNumber(file);
    };
    const total = number('memory', 'memory.usage_in_bytes');
    const cache = readField(this.#file('memory', id, 'memory.stat') ?? '', 'total_cache');
    return {
      memoryBytes: total === undefined ? undefined : Math.max(0, total - (cache ?? 0)),
      cacheBytes: cache,
      cpuNanoseconds: number('cpuacct', 'cpuacct.usage'),
      processes: number('pids', 'pids.current'),
    };
  }

  async remove(id: string): Promise<void> {
    const parents = Array.from(this.#parents.values());
    await Promise.all(parents.map((parent) => removeGroup(join(parent, id))));
    for (const parent of parents) removeParentIfEmpty(parent);
  }

  list(): string[] {
    return [...new Set([...this.#parents.values()].flatMap(subfolders))];
  }
}
