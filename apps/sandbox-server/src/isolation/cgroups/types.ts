import type { Limits } from '../backend.ts';

export type Controller = 'memory' | 'cpu' | 'pids' | 'freezer';

export interface CgroupStats {
  memoryBytes: number | undefined;
  cacheBytes: number | undefined;
  cpuNanoseconds: number | undefined;
  processes: number | undefined;
}

/** Limits and the freezer for groups of processes, independent of the cgroup version. */
export interface Cgroups {
  readonly version: 'v1' | 'v2' | 'none';
  readonly controllers: ReadonlySet<Controller>;
  /** Creates the groups with their limits; returns the files into which a single-threaded process writes 0 to join. */
  create(id: string, limits: Limits): string[];
  /** Finds the groups of a sandbox that an earlier server started, by one of its processes: their path may differ. */
  adopt(id: string, pid: number): void;
  freeze(id: string): Promise<void>;
  thaw(id: string): Promise<void>;
  isFrozen(id: string): boolean;
  /** Every process in the group, by host pid; empty when there is no group. */
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
