/** Nearest-rank percentile, which is always one of the values; 0 without any. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return Math.round(sorted[rank - 1] ?? 0);
}
