import { type ReadReport, namesIn, sumOf } from './report.ts';

/** `2 tests passed`, or `1 test failed` with one line for each test before it. */
export const readAva: ReadReport = (lines) => {
  const summary = lines.filter((line) =>
    /^\s*\d+ (?:tests? (?:failed|passed|skipped|todo)|known failures?)$/.test(line),
  );
  const marks = lines.filter((line) => /^\s*(?:✔|✖|✘|-) /.test(line));
  if (!summary.some((line) => /tests? (?:failed|passed)$/.test(line))) return null;
  if (marks.length === 0 && !lines.some((line) => line.trim() === '─')) return null;
  const text = summary.join('\n');
  const counted = sumOf(text, /(\d+) tests? passed/g);
  // After a failure AVA does not print how many passed.
  const passed = counted > 0 ? counted : marks.filter((line) => /^\s*✔ /.test(line)).length;
  return {
    runner: 'ava',
    counts: {
      passed,
      failed: sumOf(text, /(\d+) tests? failed/g),
      skipped: sumOf(text, /(\d+) tests? (?:skipped|todo)/g),
    },
    failing: avaFailures(lines),
  };
};

/** The error may follow the name in the marked line; below the rule, the name is alone on its line. */
function avaFailures(lines: readonly string[]): string[] {
  const marked = namesIn(lines, /^\s*[✖✘] \[fail\]: (.+)$/);
  const from = lines.findIndex((line) => line.trim() === '─');
  const alone = new Set(lines.slice(from + 1).map((line) => line.trim()));
  return marked.map((name) => {
    const exact = [...alone].filter((line) => line !== '' && name.startsWith(line));
    return exact.toSorted((a, b) => b.length - a.length)[0] ?? name;
  });
}

const isSkipped = (name: string): boolean => /# (?:SKIP|TODO)\b/i.test(name);

/** TAP of any producer: each test is `ok` or `not ok`; indented lines belong to a test above them. */
export const readTap: ReadReport = (lines) => {
  if (!lines.some((line) => /^TAP version 1[34]$/.test(line))) return readTapEnd(lines);
  const points = lines.flatMap((line) => {
    const [, not, name = ''] = /^(not )?ok\b(?: \d+)?(?: -)?\s*(.*)$/.exec(line) ?? [];
    return /^(?:not )?ok\b/.test(line) ? [{ isOk: not === undefined, name }] : [];
  });
  if (points.length === 0) return null;
  const skipped = points.filter(({ name }) => isSkipped(name)).length;
  const failing = points.filter(({ isOk, name }) => !isOk && !isSkipped(name));
  return {
    runner: 'tap',
    counts: { passed: points.length - skipped - failing.length, failed: failing.length, skipped },
    failing: failing.map(({ name }) => name.replace(/ # time=.*$/, '').trim()).filter(Boolean),
  };
};

/** The end of a long output, whose start is cut off: after the plan node-tap repeats its totals. */
function readTapEnd(lines: readonly string[]): ReturnType<ReadReport> {
  const at = lines.findLastIndex((line) => /^1\.\.\d+$/.test(line));
  const totals = lines.slice(at + 1, at + 6);
  if (at === -1 || !totals.some((line) => /^# time=[\d.]+ms$/.test(line))) return null;
  const total = Number(lines[at]?.slice('1..'.length));
  const text = totals.join('\n');
  const failed = sumOf(text, /^# failed (\d+) of \d+ tests?$/gm);
  const skipped = sumOf(text, /^# (?:skip|todo): (\d+)$/gm);
  return {
    runner: 'tap',
    counts: { passed: Math.max(0, total - failed - skipped), failed, skipped },
    failing: namesIn(lines, /^not ok \d+ - (?!.*# (?:SKIP|TODO)\b)(.+?)(?: # time=.*)?$/),
  };
}

/** node-tap: `# { total: 3, pass: 2, fail: 1, skip: 1 }`, or `Asserts:  1 failed  2 passed` in its terminal reporter. */
export const readNodeTap: ReadReport = (lines) => {
  const figures = lines.findLast((line) => /^# \{ total: \d+, pass: \d+/.test(line));
  if (figures !== undefined)
    return {
      runner: 'tap',
      counts: {
        passed: sumOf(figures, /pass: (\d+)/g),
        failed: sumOf(figures, /fail: (\d+)/g),
        skipped: sumOf(figures, /(?:skip|todo): (\d+)/g),
      },
      failing: namesIn(lines, /^\s*not ok \d+ - (?!\S+\.\w{2,3}(?: #|$))(.+?)(?: # time=.*)?$/),
    };
  const summary = lines.findLast((line) => /^\s*(?:#\s*)?Asserts:?\s+\d/i.test(line));
  if (summary !== undefined)
    return {
      runner: 'tap',
      counts: {
        passed: sumOf(summary, /(\d+) pass/g),
        failed: sumOf(summary, /(\d+) fail/g),
        skipped: sumOf(summary, /(\d+) (?:skip|todo)/g),
      },
      failing: namesIn(lines, /^\s*(?:✗|✖|not ok \d+ -) (.+?)(?: # time=.*)?$/),
    };
  return null;
};

/** `5 examples, 1 failure, 1 pending`, then `rspec ./spec/a_spec.rb:3 # name` for each failure. */
export const readRspec: ReadReport = (lines) => {
  const summary = lines.findLast((line) => /^\d+ examples?, \d+ failures?/.test(line));
  if (summary === undefined) return null;
  const failed = sumOf(summary, /(\d+) (?:failures?|errors? occurred)/g);
  const skipped = sumOf(summary, /(\d+) pending/g);
  const total = sumOf(summary, /(\d+) examples?/g);
  return {
    runner: 'rspec',
    counts: { passed: Math.max(0, total - failed - skipped), failed, skipped },
    failing: namesIn(lines, /^rspec \S+ # (.+)$/),
  };
};

/** `OK (3 tests, 5 assertions)`, or `Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.` */
export const readPhpunit: ReadReport = (lines) => {
  const ok = lines.findLast((line) => /^OK \(\d+ tests?, \d+ assertions?\)$/.test(line.trim()));
  if (ok !== undefined)
    return {
      runner: 'phpunit',
      counts: { passed: sumOf(ok, /(\d+) tests?/g), failed: 0, skipped: 0 },
      failing: [],
    };
  const summary = lines.findLast((line) => /^Tests: \d+, Assertions: \d+/.test(line.trim()));
  if (summary === undefined) return null;
  const failed = sumOf(summary, /(?:Failures|Errors): (\d+)/g);
  const skipped = sumOf(summary, /(?:Skipped|Incomplete): (\d+)/g);
  const total = sumOf(summary, /Tests: (\d+)/g);
  return {
    runner: 'phpunit',
    counts: { passed: Math.max(0, total - failed - skipped), failed, skipped },
    failing: namesIn(lines, /^\d+\) (\S+::\S+(?: with data set .+)?)$/),
  };
};

/** Maven: `Tests run: 3, Failures: 1, Errors: 0, Skipped: 1` for all classes, below `Results:`. */
export const readMaven: ReadReport = (lines) => {
  const from = lines.findLastIndex((line) => /^\[(?:INFO|ERROR)\] Results:/.test(line));
  const summary = lines
    .slice(Math.max(0, from))
    .findLast((line) => /Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+/.test(line));
  if (summary === undefined) return null;
  const failed = sumOf(summary, /(?:Failures|Errors): (\d+)/g);
  const skipped = sumOf(summary, /Skipped: (\d+)/g);
  const total = sumOf(summary, /Tests run: (\d+)/g);
  return {
    runner: 'junit',
    counts: { passed: Math.max(0, total - failed - skipped), failed, skipped },
    failing: namesIn(lines, /^\[ERROR\]\s+([A-Za-z_$][\w$.]*[.#][A-Za-z_$][\w$]*)(?::\d+)?\b/),
  };
};

/** Gradle prints counts only when a test fails: `3 tests completed, 1 failed, 1 skipped`. */
export const readGradle: ReadReport = (lines) => {
  const summary = lines.findLast((line) => /^\d+ tests? completed, \d+ failed/.test(line.trim()));
  if (summary === undefined) return null;
  const failed = sumOf(summary, /(\d+) failed/g);
  const skipped = sumOf(summary, /(\d+) skipped/g);
  const total = sumOf(summary, /(\d+) tests? completed/g);
  return {
    runner: 'junit',
    counts: { passed: Math.max(0, total - failed - skipped), failed, skipped },
    failing: namesIn(lines, /^(\S.* > .+) FAILED$/),
  };
};

const attribute = (tag: string, name: string): string =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

/** JUnit XML, which many runners print. Counts test cases, so that nested suites count once. */
export const readJunitXml: ReadReport = (lines) => {
  const text = lines.join('\n');
  if (!/<testsuites?[\s>]/.test(text)) return null;
  const cases = Array.from(text.matchAll(/<testcase\b([^>]*?)(\/>|>([^]*?)<\/testcase>)/g));
  if (cases.length === 0) return null;
  const of = (pattern: RegExp) => cases.filter(([, , , inner = '']) => pattern.test(inner));
  const failing = of(/<(?:failure|error)\b/);
  const skipped = of(/<skipped\b/).length;
  const names = failing.map(([, attributes = '']) =>
    [attribute(attributes, 'classname'), attribute(attributes, 'name')].filter(Boolean).join(' > '),
  );
  return {
    runner: 'junit',
    counts: {
      passed: Math.max(0, cases.length - failing.length - skipped),
      failed: failing.length,
      skipped,
    },
    failing: [...new Set(names)].map(unescaped).filter((name) => name !== ''),
  };
};

function unescaped(escaped: string): string {
  const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return escaped.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, sign: string) => signs[sign] ?? '');
}

/** bun: ` 2 pass`, ` 1 fail`, `Ran 3 tests across 1 files.` */
export const readBun: ReadReport = (lines) => {
  if (!lines.some((line) => /^Ran \d+ tests? across \d+ files?\b/.test(line))) return null;
  const text = lines.filter((line) => /^\s*\d+ (?:pass|fail|skip|todo)$/.test(line)).join('\n');
  return {
    runner: 'bun',
    counts: {
      passed: sumOf(text, /(\d+) pass/g),
      failed: sumOf(text, /(\d+) fail/g),
      skipped: sumOf(text, /(\d+) (?:skip|todo)/g),
    },
    failing: namesIn(lines, /^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/),
  };
};
