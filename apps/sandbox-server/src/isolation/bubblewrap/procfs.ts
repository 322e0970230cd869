/** Process information from /proc. A pid is always compared together with its start time, since pids are reused. */
import { readFileSync, readdirSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot, field 22 of /proc/PID/stat. */
  startTicks: number;
}

export interface ProcessStat {
  state: string;
  startTicks: number;
  cpuTicks: number;
}

/**
 * This server has no descriptor or memory left to read /proc. That says nothing about the process: taken for an answer,
 * it would lead the server to give up running sandboxes and to delete the layers that they use.
 */
export function isShortage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM';
}

/** The command name is in parentheses and may contain blanks and parentheses: fields count from the last one. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  return { state: fields[0] ?? '?', startTicks: number(19), cpuTicks: number(11) + number(12) };
}

export function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}

export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat === undefined ? undefined : { pid, startTicks: stat.startTicks };
}

/** An unreadable process counts as alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  try {
    const stat = readStat(identity.pid);
    // A zombie holds no files, mounts or memory; its parent is about to collect it.
    return stat !== undefined && stat.startTicks === identity.startTicks && stat.state !== 'Z';
  } catch {
    return true;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch (error) {
    if (isShortage(error)) throw error;
    return [];
  }
}

/** A process and all its descendants. pid 1 of a pid namespace adopts its orphans, so the tree is complete. */
export function processTree(root: number): number[] {
  const found = [root];
  for (let index = 0; index < found.length; index += 1) {
    const pid = found[index];
    if (pid !== undefined) found.push(...childrenOf(pid));
  }
  return found;
}

/** Processes that see a matching mount (a line of mountinfo); the kernel lists those of other users to root only. */
export function processesWithMount(isWanted: (mount: string) => boolean): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const mounts = readFileSync(`/proc/${name}/mountinfo`, 'utf8').split('\n');
        if (!mounts.some(isWanted)) return [];
        return identify(Number(name)) ?? [];
      } catch {
        return [];
      }
    });
}

export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** Resident bytes, from field 2 of statm; shared pages count for every process that maps them. */
export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}
