/** By the nearest rank: always a value that was seen. 0 of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return Math.round(sorted[rank - 1] ?? 0);
}
