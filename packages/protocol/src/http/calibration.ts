import * as z from 'zod';

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/** The outcome of a pull request. `reverted`: it was merged and later reverted. */
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
  /** The share that was merged and not reverted; null without any. */
  kept: share.nullable(),
  /** The 95 % confidence interval of that share. */
  keptLow: share.nullable(),
  keptHigh: share.nullable(),
  /** Whether the sample is large enough. */
  isTelling: z.boolean(),
});
export type CalibrationBucket = z.infer<typeof CalibrationBucket>;

/** `GET /api/calibration` */
export const Calibration = z.object({ decided: count, buckets: z.array(CalibrationBucket) });
export type Calibration = z.infer<typeof Calibration>;
