import type { TestCounts } from '@ship/protocol';

/** The parsed output of a test runner. `counts` is null when it names failures without counting passed tests. */
export interface TestReport {
  runner: string;
  counts: TestCounts | null;
  failing: string[];
}

/** Returns null when the output is not from this runner. */
export type ReadReport = (lines: readonly string[]) => TestReport | null;

/** The sum of the pattern's first group over all matches; 0 without a match. */
export function sumOf(text: string, pattern: RegExp): number {
  let sum = 0;
  for (const match of text.matchAll(pattern)) sum += Number(match[1] ?? 0);
  return sum;
}

/** The first group of every matching line, without duplicates. */
export function namesIn(lines: readonly string[], pattern: RegExp): string[] {
  const names = lines.flatMap((line) => pattern.exec(line)?.[1]?.trim() ?? []);
  return [...new Set(names)].filter((name) => name !== '');
}
