import type { VerificationRun } from '@ship/protocol';

export interface Comparison {
  /** Failed before and do not fail any more. */
  fixed: string[];
  /** Fail now and did not before; what failed before is not the agent's doing. */
  broken: string[];
  /** Failed before and still do. */
  stillFailing: string[];
  /** How many tests there are more than before; null when either is not known. */
  moreTests: number | null;
}

type Run = Pick<
  VerificationRun,
  'command' | 'verdict' | 'counts' | 'failing' | 'exitCode' | 'outputDigest'
>;

/** What the work changed. Null where there is nothing to compare with: then only the newest outcome can be told. */
export function compareRuns(before: Run | null, after: Run | null): Comparison | null {
  if (before === null || after === null || before.command !== after.command) return null;
  if (!hasRun(before) || !hasRun(after)) return null;
  const failedBefore = new Set(before.failing);
  const failAfter = new Set(after.failing);
  return {
    // A run that fails without a name tells nothing of the others: it may not have come so far.
    fixed: isNamed(after) ? before.failing.filter((name) => !failAfter.has(name)) : [],
    broken: isNamed(before) ? after.failing.filter((name) => !failedBefore.has(name)) : [],
    stillFailing: after.failing.filter((name) => failedBefore.has(name)),
    moreTests:
      before.counts === null || after.counts === null
        ? null
        : totalOf(after.counts) - totalOf(before.counts),
  };
}

/** Whether a failure is the agent's: one that was there before is not, unless it got worse. */
export function isRegression(before: Run | null, after: Run): boolean {
  if (after.verdict !== 'failed') return false;
  if (before === null || before.verdict !== 'failed') return true;
  const comparison = compareRuns(before, after);
  if (comparison === null) return true;
  if (isNamed(after) && isNamed(before)) return comparison.broken.length > 0;
  return !isSameFailure(before, after);
}

/** For outputs that name no test, or not all: the same exit code and words, or no failure that is new in name or number. */
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

/** Whether every failure is known by its name. */
function isNamed({ verdict, counts, failing }: Run): boolean {
  if (verdict === 'passed') return true;
  return failing.length > 0 && (counts === null || counts.failed <= failing.length);
}

function totalOf({ passed, failed, skipped }: NonNullable<Run['counts']>): number {
  return passed + failed + skipped;
}
