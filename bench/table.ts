/** One benchmark's results: a name with its unit, and a number or a list of samples. */
export type Figures = Record<string, number>;

export function printTable(name: string, figures: Figures): void {
  const width = Math.max(...Object.keys(figures).map((key) => key.length));
  console.log(`\n${name}`);
  for (const [key, value] of Object.entries(figures))
    console.log(`  ${key.padEnd(width)}  ${round(value)}`);
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
