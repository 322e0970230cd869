/** cgroup v2: one tree; controllers are enabled from the top down. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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

const LIMITING = ['memory', 'cpu', 'pids'] as const;

/**
 * The folder in which groups can be created: the root of the tree as root, otherwise our own group, which systemd
 * delegates to a scope or service with `Delegate=yes`. Groups above it belong to systemd, even where they are writable.
 * Undefined when there is none.
 */
export function delegatedFolder(
  mount: string,
  ownPath: string,
  instance: string,
): string | undefined {
  return [mount, join(mount, ownPath)].find((folder) => canCreateGroupIn(folder, instance));
}

/** Our own group in the v2 tree, from /proc/self/cgroup. */
export function ownV2Path(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.startsWith('0::'))
      ?.slice(3) ?? '/'
  );
}

/** A group that contains processes cannot delegate controllers, so they move into a group below it. */
function moveProcessesToLeaf(folder: string, instance: string): void {
  const pids = readPids(join(folder, 'cgroup.procs'));
  if (pids.length === 0) return;
  const leaf = join(folder, `${instance}-host`);
  mkdirSync(leaf, { recursive: true });
  for (const pid of pids) tryWrite(join(leaf, 'cgroup.procs'), String(pid));
}

export class CgroupsV2 implements Cgroups {
  readonly version = 'v2';
  readonly controllers: ReadonlySet<Controller>;
  readonly #folder: string;
  readonly #parent: string;
  readonly #mount: string;
  readonly #adoptedGroups = new Map<string, string>();

  /** A folder below the mount is the group of this process, with nothing else in it. */
  constructor(folder: string, instance: string, mount: string) {
    this.#folder = folder;
    this.#mount = mount;
    this.#parent = join(folder, instance);
    if (folder !== mount) moveProcessesToLeaf(folder, instance);
    this.controllers = new Set<Controller>([...this.#switchOn(), 'freezer']);
    removeParentIfEmpty(this.#parent);
  }

  /** Creates the parent of all groups, and returns the controllers that it can delegate. */
  #switchOn(): Controller[] {
    mkdirSync(this.#parent, { recursive: true });
    return LIMITING.filter((controller) => {
      // Refused where the folder itself has processes, or where it was not delegated: then the limit is absent.
      tryWrite(join(this.#folder, 'cgroup.subtree_control'), `+${controller}`);
      return tryWrite(join(this.#parent, 'cgroup.subtree_control'), `+${controller}`);
    });
  }

  #group(id: string): string {
    return this.#adoptedGroups.get(id) ?? join(this.#parent, id);
  }

  #file(id: string, name: string): string {
    return join(this.#group(id), name);
  }

  /** A killed server had its own scope, which remains as long as its sandboxes run. */
  adopt(id: string, pid: number): void {
    const path = ownV2Path(readText(`/proc/${pid}/cgroup`) ?? '');
    const group = join(this.#mount, path);
    if (path.endsWith(`/${basename(this.#parent)}/${id}`)) this.#adoptedGroups.set(id, group);
  }

  create(id: string, limits: Limits): string[] {
    this.#adoptedGroups.delete(id);
    // It was removed with the last sandbox; a new one starts without controllers.
    if (!existsSync(this.#parent)) this.#switchOn();
    mkdirSync(join(this.#parent, id), { recursive: true });
    const set = (controller: Controller, name: string, value: string) => {
      if (this.controllers.has(controller)) writeFileSync(this.#file(id, name), value);
    };
    set('memory', 'memory.max', String(limits.memoryMb * 1024 * 1024));
    if (this.controllers.has('memory')) tryWrite(this.#file(id, 'memory.swap.max'), '0');
    set('cpu', 'cpu.max', `${cpuQuota(limits.cpuCount)} ${CPU_PERIOD_MICROSECONDS}`);
    set('pids', 'pids.max', String(limits.processes));
    return [this.#file(id, 'cgroup.procs')];
  }

  async freeze(id: string): Promise<void> {
    writeFileSync(this.#file(id, 'cgroup.freeze'), '1');
    try {
      await waitFor(() => this.isFrozen(id), `freezing ${id}`);
    } catch (error) {
      // Half frozen is neither paused nor running: the sandbox continues, and the caller gets the error.
      writeFileSync(this.#file(id, 'cgroup.freeze'), '0');
      throw error;
    }
  }

  async thaw(id: string): Promise<void> {
    writeFileSync(this.#file(id, 'cgroup.freeze'), '0');
    await waitFor(() => !this.isFrozen(id), `thawing ${id}`);
  }

  isFrozen(id: string): boolean {
    return readField(this.#file(id, 'cgroup.events'), 'frozen') === 1;
  }

  pids(id: string): number[] {
    return readPids(this.#file(id, 'cgroup.procs'));
  }

  stats(id: string): CgroupStats {
    const total = readNumber(this.#file(id, 'memory.current'));
    const cache = readField(this.#file(id, 'memory.stat'), 'file');
    const cpu = readField(this.#file(id, 'cpu.stat'), 'usage_usec');
    return {
      memoryBytes: total === undefined ? undefined : Math.max(0, total - (cache ?? 0)),
      cacheBytes: cache,
      cpuNanoseconds: cpu === undefined ? undefined : cpu * 1000,
      processes: readNumber(this.#file(id, 'pids.current')),
    };
  }

  async remove(id: string): Promise<void> {
    const group = this.#group(id);
    this.#adoptedGroups.delete(id);
    await removeGroup(group);
    removeParentIfEmpty(dirname(group));
  }

  list(): string[] {
    return subfolders(this.#parent);
  }
}
