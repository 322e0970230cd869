import { readFile } from 'node:fs/promises';

import { cgroupAvailableMb } from './cgroup-memory.ts';
import type { MemoryReading } from './memory-pressure.ts';

export type MemoryReader = () => Promise<MemoryReading>;

const readText = (path: string) => readFile(path, 'utf8').catch(() => '');

/**
 * The kernel's estimate of memory available without swapping, capped by the cgroups of this process, and
 * PSI where it is enabled.
 */
export const readMachineMemory: MemoryReader = async () => {
  const [memory, pressure, availableMb] = await Promise.all([
    readText('/proc/meminfo'),
    readText('/proc/pressure/memory'),
    cgroupAvailableMb(readText),
  ]);
  const reading = parseMemory(memory, pressure);
  return { ...reading, availableMb: Math.min(reading.availableMb, availableMb) };
};

export function parseMemory(meminfo: string, pressure: string): MemoryReading {
  const availableKb = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1];
  const stallPercent = /^full avg10=([0-9.]+) /m.exec(pressure)?.[1];
  return {
    availableMb: availableKb === undefined ? Number.POSITIVE_INFINITY : Number(availableKb) / 1024,
    stallPercent: stallPercent === undefined ? undefined : Number(stallPercent),
  };
}
