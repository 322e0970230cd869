export interface Spread {
  min: number;
  p50: number;
  p99: number;
  runs: number;
}

const round = (value: number): number => Math.round(value * 10) / 10;

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { min: round(at(0)), p50: round(at(0.5)), p99: round(at(0.99)), runs: values.length };
}

/** Times only the body, not the preparation and clean-up. */
export async function timed(body: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await body();
  return performance.now() - startMs;
}

export async function repeat(
  times: number,
  once: (index: number) => Promise<number>,
): Promise<Spread> {
  const values: number[] = [];
  for (let index = 0; index < times; index += 1) values.push(await once(index));
  return spread(values);
}
