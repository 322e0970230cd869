import { statfs } from 'node:fs/promises';

import { Refusal } from './errors.ts';
import type { MemoryReader } from './memory-reading.ts';

interface CapacityLimits {
  maxSandboxes: number;
  minFreeMemoryMb: number;
  minFreeDiskMb: number;
}

interface MachineState {
  /** Sandboxes that hold memory: starting, running, or frozen. */
  sandboxes: number;
  freeMemoryMb: number;
  freeDiskMb: number;
}

/** Called before each start: `prepare` measures, then `check` decides synchronously, so that no other start intervenes. */
export interface Admission {
  prepare(): Promise<void>;
  /** Throws a refusal when capacity is exhausted. */
  check(wanted: number): void;
}

/** Refuses early: without memory the kernel kills at random, and without disk space writes are damaged. */
function checkCapacity(limits: CapacityLimits, machine: MachineState, wanted = 1): void {
  if (machine.sandboxes + wanted > limits.maxSandboxes) {
    throw new Refusal(
      429,
      `All ${limits.maxSandboxes} sandboxes on this machine are in use.`,
      'Kill unneeded sandboxes, pause them with keepMemory: false, or raise maxSandboxes.',
    );
  }
  if (machine.freeMemoryMb < limits.minFreeMemoryMb) {
    throw new Refusal(
      507,
      `This machine has only ${Math.floor(machine.freeMemoryMb)} MB of memory left.`,
      'Kill sandboxes, or pause them with keepMemory: false to free their memory.',
    );
  }
  if (machine.freeDiskMb < limits.minFreeDiskMb) {
    throw new Refusal(
      507,
      `This machine has only ${Math.floor(machine.freeDiskMb)} MB of disk left.`,
      'Kill sandboxes, delete snapshots, or free space for the data folder.',
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

const MEASURE_INTERVAL_MS = 500;

interface AdmissionOptions {
  limits: CapacityLimits;
  dataDir: string;
  countSandboxes: () => number;
  nowMs: () => number;
  readMemory: MemoryReader;
  /** Below this much free memory, `freeMemory` runs before a start, because the new sandbox needs some too. */
  lowMemoryMb: number;
  /** Puts frozen and evictable sandboxes to sleep while memory is short. */
  freeMemory: () => Promise<void>;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { limits, nowMs, countSandboxes } = options;
  const lowMemoryMb = Math.max(limits.minFreeMemoryMb, options.lowMemoryMb);
  let measured = { freeMemoryMb: Number.POSITIVE_INFINITY, freeDiskMb: Number.POSITIVE_INFINITY };
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  return {
    async prepare() {
      if (nowMs() - measuredAtMs < MEASURE_INTERVAL_MS) return;
      measured = await measureMachine(options);
      if (measured.freeMemoryMb < lowMemoryMb) {
        await options.freeMemory();
        measured = await measureMachine(options);
      }
      measuredAtMs = nowMs();
    },
    check(wanted) {
      checkCapacity(limits, { ...measured, sandboxes: countSandboxes() }, wanted);
    },
  };
}
