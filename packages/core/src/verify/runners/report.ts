import type { TestCounts } from '@ship/protocol';

/** What a runner's output says. `counts` is null where it names failures but does not count what passed. */
export interface TestReport {
  runner: string;
  counts: TestCounts | null;
  failing: string[];
}

/** Null when the output is not of this runner. */
export type ReadReport = (lines: readonly string[]) => TestReport | null;

/** The number in front of (or behind) a word, summed over the text; 0 when it is not there. */
export function sumOf(text: string, pattern: RegExp): number {
  let sum = 0;
  for (const match of text.matchAll(pattern)) sum += Number(match[1] ?? 0);
  return sum;
}

/** The first group of every line that matches, each once. */
export function namesIn(lines: readonly string[], pattern: RegExp): string[] {
  const names = lines.flatMap((line) => pattern.exec(line)?.[1]?.trim() ?? []);
  return [...new Set(names)].filter((name) => name !== '');
}
