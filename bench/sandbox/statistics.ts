/** Percentiles of a handful of timings. */
export interface Spread {
  p50: number;
  p99: number;
  runs: number;
}

const round = (value: number): number => Math.round(value * 10) / 10;

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: round(at(0.5)), p99: round(at(0.99)), runs: sorted.length };
}

export async function repeat(times: number, once: () => Promise<number>): Promise<Spread> {
  const values: number[] = [];
  for (let run = 0; run < times; run += 1) values.push(await once());
  return spread(values);
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
