import { judgeNewTests, judgeRun, newTestsIn, sessionEvent } from '@ship/core';
import type { Diff, NewTests, TurnId } from '@ship/protocol';
import { canCopyBase, copyBase, putIntoCopy, removeCopy } from './base-copy.ts';
import { type Verified, type VerifyDeps, limitOf, runUntilStopped } from './verify.ts';

/** A slower suite is not run again for this. */
const LONGEST_SUITE_MS = 3 * 60_000;

/**
 * Runs the tests that the work added or changed on the base, without the rest of the work: a test that passes there does not
 * prove that the change was needed. Null when the work has no such tests.
 */
export async function checkNewTests(
  deps: VerifyDeps,
  turnId: TurnId,
  diff: Diff,
  verified: Verified,
  stop: AbortSignal,
): Promise<NewTests | null> {
  const tests = newTestsIn(diff);
  const isAlone = tests.files.length === diff.files.length;
  if (tests.files.length === 0 || verified.verdict !== 'passed') return null;
  const isWorth = !isAlone && verified.durationMs <= LONGEST_SUITE_MS;
  const without = isWorth ? await runOnBase(deps, tests.files, verified, stop) : null;
  if (stop.aborted) return null;
  const newTests = judgeNewTests(tests, deps.place.state().verification.before, without);
  deps.store.record([sessionEvent('new-tests.checked', { turnId, ...newTests })]);
  return newTests;
}

async function runOnBase(
  { place, store }: VerifyDeps,
  files: readonly string[],
  { command, durationMs }: Verified,
  stop: AbortSignal,
) {
  const { baseSha, leftovers = [] } = place.state().git;
  if (baseSha === null || !(await canCopyBase(place))) return null;
  const folder = await copyBase(place, baseSha, leftovers);
  if (folder === null) return null;
  try {
    if (!(await putIntoCopy(place, files))) return null;
    const limitMs = Math.min(limitOf(place), durationMs * 3 + 60_000);
    const name = 'verify-new-tests';
    const ran = await store.trace.span(
      'verify.new-tests',
      () => runUntilStopped(place, { name, command, limitMs, isClean: false, folder }, stop),
      () => 'unavailable',
    );
    return ran === null ? null : judgeRun({ ...ran, isBeside: true });
  } finally {
    await removeCopy(place);
  }
}
