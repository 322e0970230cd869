/** Parses the output of a test run. Pure. */

export interface Failing {
  title: string;
  file: string | null;
  hint: Hint;
}

/** How the actual value differs from the expected one. */
export interface Hint {
  direction: 'grow' | 'shrink' | 'flip' | null;
  byOne: boolean;
}

export interface TestOutcome {
  status: 'passed' | 'failed' | 'unavailable';
  failing: Failing[];
  summary: string;
}

const MAX_FAILING = 5;
const UNAVAILABLE =
  /command not found|: not found|No module named|Cannot find module|ERR_MODULE_NOT_FOUND|no such file or directory|Missing script|no tests ran|Ran 0 tests/i;

export function parseTestOutput(output: string | null): TestOutcome {
  if (output === null) return { status: 'unavailable', failing: [], summary: '' };
  const code = /^exit code (\d+)$/m.exec(output)?.[1];
  const failing = failingOf(output);
  if (code === '0') return { status: 'passed', failing: [], summary: summaryOf(output) };
  if (failing.length === 0 && (code === undefined || UNAVAILABLE.test(output))) {
    return { status: 'unavailable', failing, summary: '' };
  }
  return { status: 'failed', failing, summary: summaryOf(output) };
}

function failingOf(output: string): Failing[] {
  const titles = [
    ...output.matchAll(/^\s*✖ (?!failing tests)(.+?) \([\d.]+m?s\)\s*$/gm),
    ...output.matchAll(/^\s*not ok \d+ - (?!\/|.*\.[cm]?[jt]s$)(.+?)\s*$/gm),
    ...output.matchAll(/^FAILED \S+::(\w+)/gm),
    ...output.matchAll(/^(?:FAIL|ERROR): (\w+) \(/gm),
  ].map((match) => match[1] ?? '');
  return [...new Set(titles)].slice(0, MAX_FAILING).map((title) => ({
    title,
    file: fileOf(output, title),
    hint: hintOf(output),
  }));
}

function fileOf(output: string, title: string): string | null {
  const pytest = new RegExp(`^FAILED ([^\\s:]+)::\\S*${escape(title)}\\b`, 'm').exec(output)?.[1];
  if (pytest !== undefined) return pytest;
  const patterns = [
    /test at (\S+?):\d+:\d+/,
    /location: '([^']+?):\d+:\d+'/,
    /\(file:\/\/(\/[^)]+?\.[cm]?[jt]s):\d+:\d+\)/,
    /^(\S+\.py):\d+: /m,
    /File "([^"]+test[^"]*\.py)", line \d+/,
  ];
  for (const pattern of patterns) {
    const found = pattern.exec(output)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

function hintOf(output: string): Hint {
  const pair =
    /^\s*(\S+) !== (\S+)\s*$/m.exec(output) ??
    /^E\s+(?:AssertionError: )?assert (\S+) == (\S+)\s*$/m.exec(output) ??
    /^(?:E\s+)?AssertionError: (\S+) != (\S+)\s*$/m.exec(output);
  const [, actual, expected] = pair ?? [];
  if (actual !== undefined && expected !== undefined) return compare(actual, expected);
  const lists =
    /^E\s+(?:AssertionError: )?assert (\[.*\]) == (\[.*\])\s*$/m.exec(output) ??
    /^(?:E\s+)?AssertionError: Lists differ: (\[.*\]) != (\[.*\])\s*$/m.exec(output);
  if (lists !== null) {
    return sizeHint((lists[1] ?? '').split(',').length, (lists[2] ?? '').split(',').length);
  }
  // In the diff, lines with + are actual and lines with - are expected.
  const diff = output.slice(Math.max(0, output.indexOf('actual - expected')));
  const more = diff.match(/^\s*\+ {2,}\S/gm)?.length ?? 0;
  const fewer = diff.match(/^\s*- {2,}\S/gm)?.length ?? 0;
  return sizeHint(more, fewer);
}

function compare(actual: string, expected: string): Hint {
  if (/^(true|false)$/i.test(actual)) return { direction: 'flip', byOne: false };
  const numbers = [Number(actual), Number(expected)] as const;
  return numbers.some(Number.isNaN) ? { direction: null, byOne: false } : sizeHint(...numbers);
}

function sizeHint(actual: number, expected: number): Hint {
  if (actual === expected) return { direction: null, byOne: false };
  return {
    direction: actual < expected ? 'grow' : 'shrink',
    byOne: Math.abs(actual - expected) === 1,
  };
}

/** One line for users: how many tests passed and failed. */
function summaryOf(output: string): string {
  const node = [...output.matchAll(/^(?:ℹ|#) (pass|fail) (\d+)$/gm)].map(
    ([, what, count]) => `${count} ${what}`,
  );
  if (node.length > 0) return node.join(', ');
  return (
    /^=*\s*(\d+ (?:passed|failed)[^=\n]*?)(?: in [\d.]+s)?\s*=*$/m.exec(output)?.[1] ??
    /^(Ran \d+ tests?)/m.exec(output)?.[1] ??
    ''
  );
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
