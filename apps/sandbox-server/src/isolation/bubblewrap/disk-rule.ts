/** Decides when to measure a sandbox and when it is over its limit. Pure: the watchdog measures and acts. */
import type { Limits } from '../backend.ts';
import type { Space } from './disk-usage.ts';

const MEGABYTE = 1024 * 1024;
/** ext4 creates one inode per 16 KB: a sandbox's share of the inodes equals its share of the disk. */
const INODES_PER_MEGABYTE = 64;
const MIN_INODES = 16_384;
/** Below this the machine itself is in danger, and there is no time to measure which sandbox is responsible. */
const RESERVED_BYTES = 256 * MEGABYTE;

export interface DiskLimits {
  bytes: number;
  inodes: number;
}

export function diskLimits({ diskMb }: Pick<Limits, 'diskMb'>): DiskLimits {
  return {
    bytes: diskMb * MEGABYTE,
    inodes: Math.max(MIN_INODES, diskMb * INODES_PER_MEGABYTE),
  };
}

export interface Measured {
  bytes: number;
  inodes: number;
  /** The file system before the measurement: growth since then may be this sandbox's. */
  space: Space;
}

/**
 * - `measure`: the file system grew by half of the sandbox's remaining quota; it may be near its limit.
 * - `pause`: it grew by all of it; the sandbox may be over, so it must not run while it is measured.
 * - `full`: the disk is nearly full and fills further.
 */
export type Urgency = 'none' | 'measure' | 'pause' | 'full';

export function urgency(
  limits: DiskLimits,
  measured: Measured,
  now: Space,
  before: Space | undefined,
): Urgency {
  if (before !== undefined && now.freeBytes < RESERVED_BYTES && now.freeBytes < before.freeBytes)
    return 'full';
  const shares = [
    share(now.usedBytes - measured.space.usedBytes, limits.bytes - measured.bytes),
    share(now.usedInodes - measured.space.usedInodes, limits.inodes - measured.inodes),
  ];
  const most = Math.max(...shares);
  if (most >= 1) return 'pause';
  return most >= 0.5 ? 'measure' : 'none';
}

/** A sandbox over its limit already: any growth counts. */
function share(growth: number, room: number): number {
  if (growth <= 0) return 0;
  return room <= 0 ? 1 : growth / room;
}

/** Why a sandbox is over its limit, as a text for its owner; undefined when it is not. */
export function overLimit(
  limits: DiskLimits,
  { bytes, inodes }: Pick<Measured, 'bytes' | 'inodes'>,
): string | undefined {
  if (bytes > limits.bytes)
    return `it uses ${megabytes(bytes)} of disk, and its limit is ${megabytes(limits.bytes)}`;
  if (inodes > limits.inodes)
    return `it has ${number(inodes)} files on disk, and its limit is ${number(limits.inodes)}`;
  return undefined;
}

const number = (value: number): string => value.toLocaleString('en-US');
const megabytes = (bytes: number): string => `${number(Math.ceil(bytes / MEGABYTE))} MB`;
