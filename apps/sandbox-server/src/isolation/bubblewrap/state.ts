/** What a server needs to find a sandbox again that another server started. Written whole or not at all. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Limits } from '../backend.ts';
import type { SandboxPaths } from './layout.ts';
import {
  bootId,
  identify,
  isAlive,
  isShortage,
  processesWithMount,
  type ProcessIdentity,
} from './procfs.ts';

export interface SandboxState {
  /** Lower layers, top first. Fixed at the first start; `capture` of a stopped sandbox adds one. */
  lowers: string[];
  slot: number;
  limits: Limits;
  /** The layer that the files of a stopped sandbox are becoming; gone when that is settled. */
  capturing?: string;
  /** Frozen by a capture and by nobody else: a server that finds this after a crash thaws it. */
  isFrozenForCapture?: boolean;
  /** Absent while stopped. */
  run?: {
    bootId: string;
    /** bubblewrap's outer process; it ends when the sandbox ends. */
    monitor: ProcessIdentity;
    /** Pid 1 of the sandbox, as the host numbers it: killing it kills everything inside. */
    init: ProcessIdentity;
  };
}

export function readState(paths: SandboxPaths): SandboxState | undefined {
  try {
    return JSON.parse(readFileSync(paths.state, 'utf8')) as SandboxState;
  } catch (error) {
    if (isShortage(error)) throw error;
    // Absent, or cut off by a power failure: both mean that nothing is known to run.
    return undefined;
  }
}

export function writeState(paths: SandboxPaths, state: SandboxState): void {
  const temporary = `${paths.state}.new`;
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
  renameSync(temporary, paths.state);
}

/** The processes of a run that still are what they were: same boot, same start time. */
export function livingProcesses(state: SandboxState | undefined): ProcessIdentity[] {
  const run = state?.run;
  if (run === undefined || run.bootId !== bootId()) return [];
  return [run.init, run.monitor].filter(isAlive);
}

/**
 * The launcher of a start that was cut short before it made its mounts. Its pid file carries no start time, so the process must
 * also look like one of ours: `instance` is in the command line of each launcher of this data folder.
 */
function abandonedLauncher(paths: SandboxPaths, instance: string): ProcessIdentity | undefined {
  try {
    const pid = Number(readFileSync(paths.pid, 'utf8'));
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return command.split('\0').includes(instance) ? identify(pid) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Every process of a start that was cut short. Without a cgroup nothing lists them: pid 1 of the sandbox outlives the
 * launcher, so it is found by its root mount, and bubblewrap's outer process by the same. The mount carries the name of the
 * data folder as its source: two installations that use one id must not end each other's sandboxes.
 */
export function abandonedProcesses(paths: SandboxPaths, instance: string): ProcessIdentity[] {
  if (!existsSync(paths.pid)) return [];
  const launcher = abandonedLauncher(paths, instance);
  const source = ` - overlay ${instance} `;
  const upper = `/${basename(paths.folder)}/${basename(paths.upper)},`;
  const isRoot = (mount: string) => mount.includes(source) && mount.includes(upper);
  return [...(launcher === undefined ? [] : [launcher]), ...processesWithMount(isRoot)].filter(
    isAlive,
  );
}
