/** `GET /metrics`, with E2B's field names. Memory counts the sandbox's own processes, not the machine's. */
import { readdir, readFile, statfs } from 'node:fs/promises';
import type { Context } from './context.ts';

const PAGE_BYTES = 4096;
const TICKS_PER_SECOND = 100;

interface Sample {
  atMs: number;
  cpuTicks: number;
  residentBytes: number;
}

let previous: Sample | undefined;

async function sample(): Promise<Sample> {
  const result: Sample = { atMs: Date.now(), cpuTicks: 0, residentBytes: 0 };
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      const [stat, statm] = await Promise.all([read('stat'), read('statm')]);
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      result.cpuTicks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
      const [, resident = '0', shared = '0'] = statm.split(' ');
      result.residentBytes += (Number(resident) - Number(shared)) * PAGE_BYTES;
    }),
  );
  return result;
}

export async function metrics(context: Context): Promise<Record<string, number>> {
  const { limits } = context.config;
  const now = await sample();
  const before = previous ?? { ...now, atMs: now.atMs - 1 };
  previous = now;
  const seconds = Math.max(now.atMs - before.atMs, 1) / 1000;
  const cpuSeconds = Math.max(now.cpuTicks - before.cpuTicks, 0) / TICKS_PER_SECOND;
  const disk = await statfs('/home');
  const memoryTotal = limits.memoryMb * 1024 * 1024;
  const diskTotal = Math.min(limits.diskMb * 1024 * 1024, disk.blocks * disk.bsize);
  return {
    ts: Math.floor(now.atMs / 1000),
    cpu_count: limits.cpuCount,
    cpu_used_pct: Math.round((cpuSeconds / seconds) * 10_000) / 100,
    mem_total: memoryTotal,
    mem_used: now.residentBytes,
    mem_cache: 0,
    mem_total_mib: limits.memoryMb,
    mem_used_mib: Math.round(now.residentBytes / 1024 / 1024),
    disk_used: Math.max(0, diskTotal - disk.bavail * disk.bsize),
    disk_total: diskTotal,
  };
}
