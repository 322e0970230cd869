/** Finds processes of a running Ship from outside. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith } from '../launch.ts';

interface ProcessInfo {
  pid: number;
  parent: number;
  command: string;
}

export function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) \S /s, '');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(stat.split(' ')[0]), command };
  } catch {
    return undefined;
  }
}

function allProcesses(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

/** A process and all its descendants. */
export function treeOf(root: number): ProcessInfo[] {
  const all = allProcesses();
  const found = all.filter(({ pid }) => pid === root);
  for (const each of found) found.push(...all.filter(({ parent }) => parent === each.pid));
  return found;
}

export function controlPlanePid(data: string): number | undefined {
  return processesWith(`objects=${data}`).at(0);
}

const sandboxesFolder = (data: string): string => join(data, 'sandboxes', 'isolation', 'sandboxes');

/** The host's pid of a sandbox's init process. */
export function sandboxPid(data: string, sandboxId: string): number | undefined {
  try {
    const text = readFileSync(join(sandboxesFolder(data), sandboxId, 'state.json'), 'utf8');
    const { run } = JSON.parse(text) as { run?: { init: { pid: number } } };
    return run !== undefined && readProcess(run.init.pid) !== undefined ? run.init.pid : undefined;
  } catch {
    return undefined;
  }
}

export function agentPid(data: string, sandboxId: string): number | undefined {
  const init = sandboxPid(data, sandboxId);
  if (init === undefined) return undefined;
  return treeOf(init).find(({ command }) => /opencode serve/.test(command))?.pid;
}

/** Folders of sandboxes on disk. */
export function sandboxFolders(data: string): string[] {
  try {
    return readdirSync(sandboxesFolder(data));
  } catch {
    return [];
  }
}

/** Processes of this data folder, including those in sandboxes, whose command lines do not contain it. */
export function processesOf(data: string): ProcessInfo[] {
  const named = processesWith(data).flatMap((pid) => readProcess(pid) ?? []);
  const inside = sandboxFolders(data)
    .flatMap((sandboxId) => sandboxPid(data, sandboxId) ?? [])
    .flatMap((pid) => treeOf(pid));
  return [...new Map([...named, ...inside].map((each) => [each.pid, each])).values()].filter(
    ({ pid }) => pid !== process.pid,
  );
}

/**
 * All processes with this folder on their command line or in their mounts. Mounts outlive a deleted folder, so this finds the
 * sandboxes of a deleted data folder.
 */
export function processesIn(folder: string): number[] {
  const mounted = allProcesses().filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
  const pids = new Set([...processesWith(folder), ...mounted.map(({ pid }) => pid)]);
  pids.delete(process.pid);
  return [...pids];
}

export function mountsOf(data: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(data));
}

/** Proportional set size: shared memory is divided among its processes, so that sums are correct. */
export function memoryMb(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const TICKS_PER_SECOND = 100;

export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // User and system time of the process and its exited children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) !== '';
      } catch {
        return false;
      }
    }).length;
  } catch {
    return 0;
  }
}
