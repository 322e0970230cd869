import type { Calibration, CalibrationBucket, CalibrationOutcome } from '@ship/protocol';

/** How many pull requests had this score and this outcome. */
export interface OutcomeCount {
  score: number;
  outcome: CalibrationOutcome;
  total: number;
}

const BUCKETS = [
  [0, 39],
  [40, 59],
  [60, 79],
  [80, 100],
] as const;
/** With fewer, one pull request more or less turns the picture. */
export const TELLING = 10;
/** Of the normal distribution, for 95 %. */
const Z = 1.96;

/** Holds what was predicted against what came of it. */
export function calibrate(counts: readonly OutcomeCount[]): Calibration {
  const buckets = BUCKETS.map(([from, to]) =>
    bucketOf(
      from,
      to,
      counts.filter(({ score }) => score >= from && score <= to),
    ),
  );
  return { decided: counts.reduce((sum, { total }) => sum + total, 0), buckets };
}

function bucketOf(from: number, to: number, counts: readonly OutcomeCount[]): CalibrationBucket {
  const of = (wanted: CalibrationOutcome) =>
    counts.reduce((sum, { outcome, total }) => sum + (outcome === wanted ? total : 0), 0);
  const outcomes = { merged: of('merged'), closed: of('closed'), reverted: of('reverted') };
  const decided = outcomes.merged + outcomes.closed + outcomes.reverted;
  const isTelling = decided >= TELLING;
  if (decided === 0) {
    const nothing = { predicted: null, kept: null, keptLow: null, keptHigh: null };
    return { from, to, ...outcomes, ...nothing, isTelling };
  }
  const points = counts.reduce((sum, { score, total }) => sum + score * total, 0);
  const [keptLow, keptHigh] = wilson(outcomes.merged, decided);
  const kept = outcomes.merged / decided;
  return {
    from,
    to,
    ...outcomes,
    predicted: points / decided / 100,
    kept,
    keptLow,
    keptHigh,
    isTelling,
  };
}

/** Wilson's interval: unlike the simple one it is honest for few, and for all or none. */
function wilson(good: number, all: number): [low: number, high: number] {
  const share = good / all;
  const middle = share + (Z * Z) / (2 * all);
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * all)) / all);
  const scale = 1 + (Z * Z) / all;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}
