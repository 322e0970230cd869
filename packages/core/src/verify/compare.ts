import type { VerificationRun } from '@ship/protocol';

export interface Comparison {
  /** Failed before and no longer fail. */
  fixed: string[];
  /** Fail now and did not before; earlier failures are not the agent's fault. */
  broken: string[];
  /** Failed before and still do. */
  stillFailing: string[];
  /** Change in the number of tests; null when either number is unknown. */
  moreTests: number | null;
}

type Run = Pick<
  VerificationRun,
  'command' | 'verdict' | 'counts' | 'failing' | 'exitCode' | 'outputDigest'
>;

/** Compares the runs before and after the work. Null when they cannot be compared. */
export function compareRuns(before: Run | null, after: Run | null): Comparison | null {
  if (before === null || after === null || before.command !== after.command) return null;
  if (!hasRun(before) || !hasRun(after)) return null;
  const failedBefore = new Set(before.failing);
  const failAfter = new Set(after.failing);
  return {
    // A run with an unnamed failure says nothing about other tests: it may have stopped early.
    fixed: isNamed(after) ? before.failing.filter((name) => !failAfter.has(name)) : [],
    broken: isNamed(before) ? after.failing.filter((name) => !failedBefore.has(name)) : [],
    stillFailing: after.failing.filter((name) => failedBefore.has(name)),
    moreTests:
      before.counts === null || after.counts === null
        ? null
        : totalOf(after.counts) - totalOf(before.counts),
  };
}

/** Whether the work caused the failure: one that existed before is not a regression, unless it got worse. */
export function isRegression(before: Run | null, after: Run): boolean {
  if (after.verdict !== 'failed') return false;
  if (before === null || before.verdict !== 'failed') return true;
  const comparison = compareRuns(before, after);
  if (comparison === null) return true;
  if (isNamed(after) && isNamed(before)) return comparison.broken.length > 0;
  return !isSameFailure(before, after);
}

/** For outputs that do not name all failed tests: the same exit code and output, or no new failure by name or number. */
function isSameFailure(before: Run, after: Run): boolean {
  const isAlike = before.outputDigest !== undefined && before.outputDigest === after.outputDigest;
  if (isAlike && before.exitCode === after.exitCode) return true;
  if (before.counts === null || after.counts === null || after.failing.length === 0) return false;
  const known = new Set(before.failing);
  const isKnown = after.failing.every((name) => known.has(name));
  return isKnown && after.counts.failed <= before.counts.failed;
}

function hasRun({ verdict }: Run): boolean {
  return verdict === 'passed' || verdict === 'failed';
}

/** Whether the name of every failed test is known. */
function isNamed({ verdict, counts, failing }: Run): boolean {
  if (verdict === 'passed') return true;
  return failing.length > 0 && (counts === null || counts.failed <= failing.length);
}

function totalOf({ passed, failed, skipped }: NonNullable<Run['counts']>): number {
  return passed + failed + skipped;
}
