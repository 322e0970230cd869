import type { Limits } from '../backend.ts';

export type Controller = 'memory' | 'cpu' | 'pids' | 'freezer';

export interface CgroupStats {
  memoryBytes: number | undefined;
  cacheBytes: number | undefined;
  cpuNanoseconds: number | undefined;
  processes: number | undefined;
}

/** Limits and the freezer for groups of processes, in whichever version this machine has. */
export interface Cgroups {
  readonly version: 'v1' | 'v2' | 'none';
  readonly controllers: ReadonlySet<Controller>;
  /** Makes the groups with their limits; answers the files into which a process of one thread writes 0 to join. */
  create(id: string, limits: Limits): string[];
  /** Finds the groups of a sandbox that an earlier server started, by one of its processes: they may lie elsewhere. */
  adopt(id: string, pid: number): void;
  freeze(id: string): Promise<void>;
  thaw(id: string): Promise<void>;
  isFrozen(id: string): boolean;
  /** Every process in the group, as the host numbers them; empty when there is no group. */
  pids(id: string): number[];
  stats(id: string): CgroupStats;
  /** Removes the groups; they must be empty. Idempotent. */
  remove(id: string): Promise<void>;
  /** Sandboxes that have groups. */
  list(): string[];
}

export const CPU_PERIOD_MICROSECONDS = 100_000;

export function cpuQuota(cpuCount: number): number {
  return Math.max(1000, Math.round(cpuCount * CPU_PERIOD_MICROSECONDS));
}
