import { statfs } from 'node:fs/promises';

import { Refusal } from './errors.ts';
import type { MemoryReader } from './memory-reading.ts';

interface CapacityLimits {
  maxSandboxes: number;
  minFreeMemoryMb: number;
  minFreeDiskMb: number;
}

interface MachineState {
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
function checkCapacity(limits: CapacityLimits, machine: MachineState, wanted = 1): void {
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

async function measureMachine({
  dataDir,
  readMemory,
}: AdmissionOptions): Promise<Pick<MachineState, 'freeMemoryMb' | 'freeDiskMb'>> {
  const [memory, disk] = await Promise.all([readMemory(), statfs(dataDir)]);
  return {
    freeMemoryMb: memory.availableMb,
    freeDiskMb: (disk.bavail * disk.bsize) / 2 ** 20,
  };
}

const MEASURE_EVERY_MS = 500;

interface AdmissionOptions {
  limits: CapacityLimits;
  dataDir: string;
  countSandboxes: () => number;
  nowMs: () => number;
  readMemory: MemoryReader;
  /** Below this much memory room is made before a start: what it starts needs some too. */
  roomMb: number;
  /** Puts frozen and evictable sandboxes to sleep while memory is short. */
  makeRoom: () => Promise<void>;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { limits, nowMs, countSandboxes } = options;
  const roomMb = Math.max(limits.minFreeMemoryMb, options.roomMb);
  let measured = { freeMemoryMb: Number.POSITIVE_INFINITY, freeDiskMb: Number.POSITIVE_INFINITY };
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  return {
    async prepare() {
      if (nowMs() - measuredAtMs < MEASURE_EVERY_MS) return;
      measured = await measureMachine(options);
      if (measured.freeMemoryMb < roomMb) {
        await options.makeRoom();
        measured = await measureMachine(options);
      }
      measuredAtMs = nowMs();
    },
    check(wanted) {
      checkCapacity(limits, { ...measured, sandboxes: countSandboxes() }, wanted);
    },
  };
}
