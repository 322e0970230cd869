/** The record by which a server finds a sandbox that another server started. Written atomically. */
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
  /** The layer that a stopped sandbox is being captured as; absent once that is complete. */
  capturing?: string;
  /** Frozen by a capture only: a server that finds this after a crash thaws the sandbox. */
  isFrozenForCapture?: boolean;
  /** Absent while stopped. */
  run?: {
    bootId: string;
    /** bubblewrap's outer process; it exits with the sandbox. */
    monitor: ProcessIdentity;
    /** Host pid of the sandbox's pid 1: killing it kills everything inside. */
    init: ProcessIdentity;
  };
}

export function readState(paths: SandboxPaths): SandboxState | undefined {
  try {
    return JSON.parse(readFileSync(paths.state, 'utf8')) as SandboxState;
  } catch (error) {
    if (isShortage(error)) throw error;
    // Missing, or truncated by a power failure: in both cases nothing is known to run.
    return undefined;
  }
}

export function writeState(paths: SandboxPaths, state: SandboxState): void {
  const temporary = `${paths.state}.new`;
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
  renameSync(temporary, paths.state);
}

/** The processes of a run that are still the same: same boot, same start time. */
export function runningProcesses(state: SandboxState | undefined): ProcessIdentity[] {
  const run = state?.run;
  if (run === undefined || run.bootId !== bootId()) return [];
  return [run.init, run.monitor].filter(isAlive);
}

/**
 * The launcher of an interrupted start that has made no mounts yet. Its pid file carries no start time, so the process must
 * also match by its command line: each launcher of this data folder carries `instance` in it.
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
 * Every process of an interrupted start. Without a cgroup nothing lists them: pid 1 of the sandbox outlives the
 * launcher, so it is found by its root mount, and so is bubblewrap's outer process. The mount's source is the name of the
 * data folder: two installations under one id must not kill each other's sandboxes.
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
