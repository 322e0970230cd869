import { existsSync, statfsSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Finding } from '../examine.ts';

const GB = 1e9;
const DISK_NEEDED_GB = 2;
const MEMORY_NEEDED_GB = 2;

/** Free space at the data folder, or where it will be created. */
export function checkDisk(dataFolder: string): Finding {
  let folder = dataFolder;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const freeGb = (bavail * bsize) / GB;
  const detail = `${freeGb.toFixed(1)} GB free at ${folder}`;
  if (freeGb >= DISK_NEEDED_GB) return { check: 'disk', verdict: 'pass', detail };
  return {
    check: 'disk',
    verdict: 'warn',
    detail,
    remedy: `Free ${DISK_NEEDED_GB} GB, or choose another folder with --data FOLDER.`,
  };
}

/** A working agent needs about half a gigabyte. */
export function checkMemory(): Finding {
  const detail = `${(freemem() / GB).toFixed(1)} GB free of ${(totalmem() / GB).toFixed(1)} GB`;
  if (totalmem() >= MEMORY_NEEDED_GB * GB) return { check: 'memory', verdict: 'pass', detail };
  return {
    check: 'memory',
    verdict: 'warn',
    detail,
    remedy: 'One agent at a time fits; more need a larger machine.',
  };
}
