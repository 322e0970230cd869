/** Measures the resources of a Ship installation: memory, processor time, files, disk. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { controlPlanePid, cpuSeconds, memoryMb, openFiles, processesOf } from './processes.ts';
import type { ShipHost } from './ship-host.ts';

export interface Reading {
  hostMb: number;
  controlPlaneMb: number;
  /** All processes, sandboxes included. */
  allMb: number;
  processes: number;
  hostFiles: number;
  controlPlaneFiles: number;
}

export function readMeter(host: ShipHost): Reading {
  const plane = controlPlanePid(host.data) ?? 0;
  const all = processesOf(host.data);
  return {
    hostMb: Math.round(memoryMb(host.pid)),
    controlPlaneMb: Math.round(memoryMb(plane)),
    allMb: Math.round(all.reduce((sum, { pid }) => sum + memoryMb(pid), 0)),
    processes: all.length,
    hostFiles: openFiles(host.pid),
    controlPlaneFiles: openFiles(plane),
  };
}

/** Total processor time of all processes seen so far, each with its latest value. */
export class ProcessorClock {
  readonly #seconds = new Map<number, number>();

  sample(host: ShipHost): void {
    for (const { pid } of processesOf(host.data)) {
      const seconds = cpuSeconds(pid);
      this.#seconds.set(pid, Math.max(seconds, this.#seconds.get(pid) ?? 0));
    }
  }

  get total(): number {
    return Math.round([...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0));
  }
}

/** Folders with data of sessions, without the users' repositories and the logs, which are bounded. */
const KEPT_BY_SESSIONS = ['objects', 'artifacts', 'sandboxes'];

export function diskMb(host: ShipHost): number {
  const bytes = KEPT_BY_SESSIONS.reduce((sum, name) => sum + sizeOf(join(host.data, name)), 0);
  return Math.round(bytes / 1_000_000);
}

function sizeOf(path: string): number {
  try {
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return stat.blocks * 512;
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
  } catch {
    // Removed meanwhile.
    return 0;
  }
}
