/** A benchmark's results: figures by name with their unit, and the goals that they are compared with. */
export interface Report {
  goals?: Goal[];
  [figure: string]: unknown;
}

export interface Goal {
  name: string;
  value: number;
  goal: number;
  better: 'lower' | 'higher';
  reached: boolean;
}

export function goal(
  name: string,
  value: number,
  limit: number,
  better: Goal['better'] = 'lower',
): Goal {
  return {
    name,
    value,
    goal: limit,
    better,
    reached: better === 'lower' ? value <= limit : value >= limit,
  };
}

export function printReport(name: string, report: Report): void {
  console.log(`\n${name}`);
  for (const { name: title, value, goal: limit, better, reached } of report.goals ?? []) {
    console.log(
      `  ${reached ? '✓' : '✗'} ${title}: ${value} (goal ${better === 'lower' ? '≤' : '≥'} ${limit})`,
    );
  }
  for (const [key, value] of Object.entries(report)) {
    if (key !== 'goals') console.log(`    ${key}: ${JSON.stringify(value)}`);
  }
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
