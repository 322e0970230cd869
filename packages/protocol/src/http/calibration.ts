import * as z from 'zod';

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/** What became of a pull request. `reverted`: it was merged, and later taken back. */
export const CalibrationOutcome = z.enum(['merged', 'closed', 'reverted']);
export type CalibrationOutcome = z.infer<typeof CalibrationOutcome>;

/** Pull requests whose confidence was in this range, both ends included. */
export const CalibrationBucket = z.object({
  from: z.int().min(0).max(100),
  to: z.int().min(0).max(100),
  merged: count,
  closed: count,
  reverted: count,
  /** The mean confidence, as a share; null without any. */
  predicted: share.nullable(),
  /** Merged and not taken back; null without any. */
  kept: share.nullable(),
  /** Where the true share is with a probability of 95 %, given so many: wide while there are few. */
  keptLow: share.nullable(),
  keptHigh: share.nullable(),
  /** Whether there are enough to say anything. */
  isTelling: z.boolean(),
});
export type CalibrationBucket = z.infer<typeof CalibrationBucket>;

/** `GET /api/calibration` */
export const Calibration = z.object({ decided: count, buckets: z.array(CalibrationBucket) });
export type Calibration = z.infer<typeof Calibration>;
