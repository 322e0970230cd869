import { readFile, statfs } from 'node:fs/promises';

import { Refusal } from './errors.ts';

export interface CapacityLimits {
  maxSandboxes: number;
  minFreeMemoryMb: number;
  minFreeDiskMb: number;
}

export interface MachineState {
  /** Sandboxes that hold memory: being made, running, or frozen. */
  sandboxes: number;
  freeMemoryMb: number;
  freeDiskMb: number;
}

/** Asked before each start: measures first, then decides at once, so that nothing slips in between. */
export interface Admission {
  prepare(): Promise<void>;
  /** Throws a refusal when there is no room. */
  check(wanted: number): void;
}

/** Refuses in time: a machine without memory kills at random, one without disk damages what it writes. */
export function checkCapacity(limits: CapacityLimits, machine: MachineState, wanted = 1): void {
  if (machine.sandboxes + wanted > limits.maxSandboxes) {
    throw new Refusal(
      429,
      `All ${limits.maxSandboxes} sandboxes of this machine are in use.`,
      'Kill sandboxes that are not needed, pause them with keepMemory: false, or raise maxSandboxes.',
    );
  }
  if (machine.freeMemoryMb < limits.minFreeMemoryMb) {
    throw new Refusal(
      507,
      `This machine has only ${Math.floor(machine.freeMemoryMb)} MB of memory left.`,
      'Kill sandboxes, or pause them with keepMemory: false: that gives their memory back.',
    );
  }
  if (machine.freeDiskMb < limits.minFreeDiskMb) {
    throw new Refusal(
      507,
      `This machine has only ${Math.floor(machine.freeDiskMb)} MB of disk left.`,
      'Kill sandboxes, delete snapshots, or give the data folder more room.',
    );
  }
}

export async function measureMachine(
  dataDir: string,
): Promise<Pick<MachineState, 'freeMemoryMb' | 'freeDiskMb'>> {
  const [memory, disk] = await Promise.all([
    readFile('/proc/meminfo', 'utf8').catch(() => ''),
    statfs(dataDir),
  ]);
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(memory)?.[1];
  return {
    freeMemoryMb: available === undefined ? Number.POSITIVE_INFINITY : Number(available) / 1024,
    freeDiskMb: (disk.bavail * disk.bsize) / 2 ** 20,
  };
}

const MEASURE_EVERY_MS = 500;

export function createAdmission(
  limits: CapacityLimits,
  dataDir: string,
  countSandboxes: () => number,
  nowMs: () => number,
): Admission {
  let measured = { freeMemoryMb: Number.POSITIVE_INFINITY, freeDiskMb: Number.POSITIVE_INFINITY };
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  return {
    async prepare() {
      if (nowMs() - measuredAtMs < MEASURE_EVERY_MS) return;
      measured = await measureMachine(dataDir);
      measuredAtMs = nowMs();
    },
    check(wanted) {
      checkCapacity(limits, { ...measured, sandboxes: countSandboxes() }, wanted);
    },
  };
}
