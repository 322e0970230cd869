/** cgroup v2: one tree; controllers are switched on from the top down. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '../backend.ts';
import {
  canMakeGroupIn,
  readField,
  readNumber,
  readPids,
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
 * The folder in which groups can be made: the root when we are root, otherwise the highest ancestor of our own group
 * that was delegated to us (under systemd `user@UID.service`). Undefined when there is none.
 */
export function delegatedFolder(
  mount: string,
  ownPath: string,
  instance: string,
): string | undefined {
  const parts = ownPath.split('/').filter(Boolean);
  const candidates = Array.from({ length: parts.length + 1 }, (_, depth) =>
    join(mount, ...parts.slice(0, depth)),
  );
  return candidates.find((folder) => canMakeGroupIn(folder, instance));
}

export class CgroupsV2 implements Cgroups {
  readonly version = 'v2';
  readonly controllers: ReadonlySet<Controller>;
  readonly #folder: string;
  readonly #parent: string;

  constructor(folder: string, instance: string) {
    this.#folder = folder;
    this.#parent = join(folder, instance);
    this.controllers = new Set<Controller>([...this.#switchOn(), 'freezer']);
    removeParentIfEmpty(this.#parent);
  }

  /** Makes the folder of all groups, and answers the controllers that it can hand down. */
  #switchOn(): Controller[] {
    mkdirSync(this.#parent, { recursive: true });
    return LIMITING.filter((controller) => {
      // Refused where processes sit in the folder itself, or where it was not given to us: then the limit is absent.
      tryWrite(join(this.#folder, 'cgroup.subtree_control'), `+${controller}`);
      return tryWrite(join(this.#parent, 'cgroup.subtree_control'), `+${controller}`);
    });
  }

  #file(id: string, name: string): string {
    return join(this.#parent, id, name);
  }

  create(id: string, limits: Limits): string[] {
    // It went with the last sandbox; a new one starts without controllers.
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
      // Half frozen is neither paused nor running: the sandbox goes on, and the caller learns why.
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
    await removeGroup(join(this.#parent, id));
    removeParentIfEmpty(this.#parent);
  }

  list(): string[] {
    return subfolders(this.#parent);
  }
}
