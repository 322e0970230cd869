import { type ReadReport, namesIn, sumOf } from './report.ts';

/** `Tests  1 failed | 3 passed (4)`; several lines when a script runs vitest several times. */
export const readVitest: ReadReport = (lines) => {
  const text = lines.filter((line) => /^\s+Tests\s+\d+ (failed|passed|skipped|todo)/.test(line));
  if (text.length === 0) return null;
  const summary = text.join('\n');
  return {
    runner: 'vitest',
    counts: {
      passed: sumOf(summary, /(\d+) passed/g),
      failed: sumOf(summary, /(\d+) failed/g),
      skipped: sumOf(summary, /(\d+) (?:skipped|todo)/g),
    },
    failing: namesIn(lines, /^\s*FAIL\s+(?:\|[^|]+\|\s+)?(\S.* > .+)$/),
  };
};

/** `Tests:       1 failed, 3 passed, 4 total` */
export const readJest: ReadReport = (lines) => {
  const summary = lines.filter((line) => /^\s*Tests:\s+.*\d+ total/.test(line)).join('\n');
  if (summary === '') return null;
  return {
    runner: 'jest',
    counts: {
      passed: sumOf(summary, /(\d+) passed/g),
      failed: sumOf(summary, /(\d+) failed/g),
      skipped: sumOf(summary, /(\d+) (?:skipped|todo)/g),
    },
    failing: namesIn(lines, /^\s*● (?!Console)(.+ › .+|[^›]+)$/),
  };
};

/** Node's test runner: TAP (`# pass 2`) and its spec reporter (`ℹ pass 2`). */
export const readNodeTest: ReadReport = (lines) => {
  const text = lines.join('\n');
  if (!/^(# |ℹ )pass \d+$/m.test(text) || !/^(# |ℹ )fail \d+$/m.test(text)) return null;
  const of = (word: string) => sumOf(text, new RegExp(`^(?:# |ℹ )${word} (\\d+)$`, 'gm'));
  const failing = text.includes('✖ failing tests:') ? specFailures(lines) : tapFailures(lines);
  return {
    runner: 'node:test',
    counts: {
      passed: of('pass'),
      failed: of('fail') + of('cancelled'),
      skipped: of('skipped') + of('todo'),
    },
    failing,
  };
};

/** After this heading, each failing test is listed once, without its suites. */
function specFailures(lines: readonly string[]): string[] {
  const from = lines.findIndex((line) => line.includes('✖ failing tests:'));
  return namesIn(lines.slice(from + 1), /^\s*✖ (.+?)(?: \([\d.]+ms\))?$/);
}

/** Skips suites, which fail with their tests: their type is a few lines below. */
function tapFailures(lines: readonly string[]): string[] {
  const failing: string[] = [];
  lines.forEach((line, index) => {
    const name = /^\s*not ok \d+ - (.+)$/.exec(line)?.[1];
    if (name === undefined || /# (TODO|SKIP)\b/i.test(name)) return;
    const details = lines.slice(index + 1, index + 6);
    if (!details.some((detail) => /^\s*type: 'suite'/.test(detail))) failing.push(name.trim());
  });
  return [...new Set(failing)];
}

/** `3 passing (5ms)`, then each failure with the titles of its suites before its own. */
export const readMocha: ReadReport = (lines) => {
  const summary = lines.filter((line) => /^\s+\d+ (passing|failing|pending)\b/.test(line));
  if (!summary.some((line) => /passing/.test(line))) return null;
  const text = summary.join('\n');
  return {
    runner: 'mocha',
    counts: {
      passed: sumOf(text, /(\d+) passing/g),
      failed: sumOf(text, /(\d+) failing/g),
      skipped: sumOf(text, /(\d+) pending/g),
    },
    failing: mochaFailures(lines),
  };
};

function mochaFailures(lines: readonly string[]): string[] {
  const from = lines.findLastIndex((line) => /^\s+\d+ failing\b/.test(line));
  if (from === -1) return [];
  const failing: string[] = [];
  let titles: string[] | null = null;
  for (const line of lines.slice(from + 1)) {
    const first = /^\s+\d+\) (.+)$/.exec(line)?.[1];
    if (first !== undefined) titles = [];
    if (titles === null) continue;
    titles.push((first ?? line).trim());
    // The last title ends with a colon; the error follows.
    if (line.trimEnd().endsWith(':')) {
      failing.push(titles.join(' ').replace(/:$/, ''));
      titles = null;
    } else if (titles.length > 10) titles = null;
  }
  return [...new Set(failing)];
}
