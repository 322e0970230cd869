/** Current resource usage of a sandbox. */
import type { Limits, Usage } from '../backend.ts';
import type { Cgroups } from '../cgroups/index.ts';
import { processTree, readStat, residentBytes, type ProcessIdentity } from './procfs.ts';

const MEGABYTE = 1024 * 1024;
const NANOSECONDS_PER_TICK = 10_000_000;

interface CpuSample {
  atMs: number;
  nanoseconds: number;
}

/** Percent of one processor since the last sample, as E2B reports it: two busy processors are 200. */
export function cpuPercent(before: CpuSample | undefined, now: CpuSample): number {
  if (before === undefined || now.atMs <= before.atMs) return 0;
  const busyMs = Math.max(0, now.nanoseconds - before.nanoseconds) / 1_000_000;
  return Math.round((busyMs / (now.atMs - before.atMs)) * 10_000) / 100;
}

export class UsageMeter {
  readonly #cgroups: Cgroups;
  readonly #samples = new Map<string, CpuSample>();

  constructor(cgroups: Cgroups) {
    this.#cgroups = cgroups;
  }

  forget(id: string): void {
    this.#samples.delete(id);
  }

  read(
    id: string,
    init: ProcessIdentity | undefined,
    limits: Limits,
    diskUsedBytes: number,
  ): Usage {
    const stats = this.#cgroups.stats(id);
    const needsTree = stats.memoryBytes === undefined || stats.cpuNanoseconds === undefined;
    const pids = init === undefined || !needsTree ? [] : processTree(init.pid);
    const ticks = () => pids.reduce((sum, pid) => sum + (readStat(pid)?.cpuTicks ?? 0), 0);
    const now = {
      atMs: Date.now(),
      nanoseconds: stats.cpuNanoseconds ?? ticks() * NANOSECONDS_PER_TICK,
    };
    const percent = cpuPercent(this.#samples.get(id), now);
    this.#samples.set(id, now);
    return {
      cpuPercent: percent,
      memoryUsedBytes: stats.memoryBytes ?? pids.reduce((sum, pid) => sum + residentBytes(pid), 0),
      memoryCacheBytes: stats.cacheBytes ?? 0,
      diskUsedBytes,
      diskTotalBytes: limits.diskMb * MEGABYTE,
      processes: stats.processes ?? pids.length,
    };
  }
}
