import { describe, expect, it } from 'vitest';
import { diskLimits, overLimit, urgency, type Measured } from './disk-rule.ts';
import type { Space } from './disk-usage.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;
const space = (usedMb: number, usedInodes = 0, freeMb = 100_000): Space => ({
  usedBytes: usedMb * MB,
  freeBytes: freeMb * MB,
  usedInodes,
});
const measured = (mb: number, inodes = 0): Measured => ({
  bytes: mb * MB,
  inodes,
  space: space(5_000),
});
const limits = diskLimits({ diskMb: 1_000 });

describe('the disk limit', () => {
  it('[SV11] limits inodes in proportion to the disk', () => {
    expect(diskLimits({ diskMb: 10_240 })).toEqual({ bytes: 10 * GB, inodes: 655_360 });
    expect(diskLimits({ diskMb: 64 }).inodes).toBe(16_384);
  });

  it.each([
    [200, 5_000, 'none'],
    [200, 5_399, 'none'],
    [200, 5_400, 'measure'],
    [200, 5_800, 'pause'],
    [200, 4_000, 'none'],
    [1_000, 5_000, 'none'],
    [1_200, 5_001, 'pause'],
  ] as const)(
    '[SV11] with %i MB at the last measurement, a disk at %i MB calls for: %s',
    (mb, now, urgent) => {
      expect(urgency(limits, measured(mb), space(now), space(now))).toBe(urgent);
    },
  );

  it('[SV11] growth in inodes is as urgent as growth in bytes', () => {
    expect(urgency(limits, measured(0, 60_000), space(5_000, 1_000), undefined)).toBe('none');
    expect(urgency(limits, measured(0, 60_000), space(5_000, 2_000), undefined)).toBe('measure');
    expect(urgency(limits, measured(0, 60_000), space(5_000, 4_000), undefined)).toBe('pause');
  });

  it('[SV11] a nearly full disk is urgent only while it fills further', () => {
    const low = space(5_000, 0, 200);
    expect(urgency(limits, measured(0), low, space(5_000, 0, 201))).toBe('full');
    expect(urgency(limits, measured(0), low, low)).toBe('none');
    expect(urgency(limits, measured(0), space(5_000, 0, 257), space(5_000, 0, 300))).toBe('none');
  });

  it('[SV11] says by how much a sandbox is over', () => {
    expect(overLimit(limits, measured(1_000, 64_000))).toBeUndefined();
    expect(overLimit(limits, measured(1_001))).toBe(
      'it uses 1,001 MB of disk, and its limit is 1,000 MB',
    );
    expect(overLimit(limits, measured(0, 64_001))).toBe(
      'it has 64,001 files on disk, and its limit is 64,000',
    );
  });
});
