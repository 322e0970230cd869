import { readFile } from 'node:fs/promises';

import type { MemoryReading } from './memory-pressure.ts';

export type MemoryReader = () => Promise<MemoryReading>;

/** The kernel's own estimate of what can be had without swapping, and PSI where it is switched on. */
export const readMachineMemory: MemoryReader = async () => {
  const [memory, pressure] = await Promise.all([
    readFile('/proc/meminfo', 'utf8').catch(() => ''),
    readFile('/proc/pressure/memory', 'utf8').catch(() => ''),
  ]);
  return parseMemory(memory, pressure);
};

export function parseMemory(meminfo: string, pressure: string): MemoryReading {
  const availableKb = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1];
  const stallPercent = /^full avg10=([0-9.]+) /m.exec(pressure)?.[1];
  return {
    availableMb: availableKb === undefined ? Number.POSITIVE_INFINITY : Number(availableKb) / 1024,
    stallPercent: stallPercent === undefined ? undefined : Number(stallPercent),
  };
}
