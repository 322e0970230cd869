import { type ReadReport, namesIn, sumOf } from './report.ts';

/** `=== 1 failed, 2 passed in 0.12s ===`, or the same without marks in quiet mode. */
export const readPytest: ReadReport = (lines) => {
  const summary = lines.findLast((line) =>
    /^(=+ )?(\d+ [a-z]+(, )?)+ in [\d.]+s( \([\d:]+\))?( =+)?$/.test(line.trim()),
  );
  if (summary === undefined) return null;
  return {
    runner: 'pytest',
    counts: {
      passed: sumOf(summary, /(\d+) (?:passed|xpassed)/g),
      failed: sumOf(summary, /(\d+) (?:failed|errors?)\b/g),
      skipped: sumOf(summary, /(\d+) (?:skipped|xfailed|deselected)/g),
    },
    failing: namesIn(lines, /^(?:FAILED|ERROR) (\S+)(?: - .*)?$/),
  };
};

/** `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1)`. */
export const readUnittest: ReadReport = (lines) => {
  const ran = lines.findLast((line) => /^Ran \d+ tests? in /.test(line));
  const verdict = lines.findLast((line) => /^(OK|FAILED)( \(.*\))?$/.test(line.trim()));
  if (ran === undefined || verdict === undefined) return null;
  const total = sumOf(ran, /Ran (\d+)/g);
  const failed = sumOf(verdict, /\b(?:failures|errors|unexpected successes)=(\d+)/g);
  const skipped = sumOf(verdict, /(?:skipped|expected failures)=(\d+)/g);
  return {
    runner: 'unittest',
    counts: { passed: Math.max(0, total - failed - skipped), failed, skipped },
    failing: namesIn(lines, /^(?:FAIL|ERROR): (.+)$/),
  };
};

/** go prints passed tests only with -v; the number of packages is not the number of tests. */
export const readGo: ReadReport = (lines) => {
  const isGo = lines.some((line) => /^(ok|FAIL|---)(\s|$)/.test(line));
  const packages = lines.some((line) => /^(ok  |FAIL)\t\S+/.test(line));
  if (!isGo || !packages) return null;
  const failing = namesIn(lines, /^\s*--- FAIL: (\S+)/);
  const passed = lines.filter((line) => /^\s*--- PASS: /.test(line)).length;
  const skipped = lines.filter((line) => /^\s*--- SKIP: /.test(line)).length;
  const isVerbose = passed > 0 || lines.some((line) => line.startsWith('=== RUN'));
  const counts = isVerbose ? { passed, failed: failing.length, skipped } : null;
  return { runner: 'go test', counts, failing };
};

/** One line for every crate and kind of test. */
export const readCargo: ReadReport = (lines) => {
  const results = lines.filter((line) => line.startsWith('test result: ')).join('\n');
  if (results === '') return null;
  return {
    runner: 'cargo test',
    counts: {
      passed: sumOf(results, /(\d+) passed/g),
      failed: sumOf(results, /(\d+) failed/g),
      skipped: sumOf(results, /(\d+) ignored/g),
    },
    failing: namesIn(lines, /^test (.+) \.\.\. FAILED$/),
  };
};
