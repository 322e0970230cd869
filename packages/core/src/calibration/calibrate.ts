import type { Calibration, CalibrationBucket, CalibrationOutcome } from '@ship/protocol';

/** Number of pull requests with this score and this outcome. */
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
/** Minimum sample: with fewer, one pull request more or less reverses the result. */
const MIN_DECIDED = 10;
/** Quantile of the normal distribution for 95 %. */
const Z = 1.96;

/** Compares predicted confidence with the real outcomes. */
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
  const isTelling = decided >= MIN_DECIDED;
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

/** Wilson's score interval: the normal approximation is wrong for small samples, and for all or none. */
function wilson(good: number, all: number): [low: number, high: number] {
  const share = good / all;
  const middle = share + (Z * Z) / (2 * all);
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * all)) / all);
  const scale = 1 + (Z * Z) / all;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}
