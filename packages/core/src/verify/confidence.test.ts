import type { VerificationRun } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns, isRegression } from './compare.ts';
import {
  type Evidence,
  computeConfidence,
  retestedConfidence,
  whyNotVerified,
} from './confidence.ts';
import { outputDigest } from './output-digest.ts';
import { repairText } from './repair.ts';

const run = (changes: Partial<VerificationRun> = {}): VerificationRun => ({
  command: 'npm test',
  source: 'package.json',
  verdict: 'passed',
  exitCode: 0,
  durationMs: 10,
  counts: null,
  failing: [],
  link: null,
  ...changes,
});
const failed = (...failing: string[]) =>
  run({
    verdict: 'failed',
    exitCode: 1,
    failing,
    counts: { passed: 1, failed: failing.length, skipped: 0 },
  });

const counted = (passed: number) => run({ counts: { passed, failed: 0, skipped: 0 } });

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });
const tested = fc.oneof(
  names.map((failing) => failed(...failing)),
  fc.constant(run()),
  fc.integer({ min: 1, max: 20 }).map(counted),
);
const untested = fc.oneof(
  fc.constant(null),
  fc.constant(counted(0)),
  fc.constantFrom('unavailable', 'timed-out').map((verdict) => run({ verdict })),
);
const anyRun = fc.oneof(tested, untested);
const evidence: fc.Arbitrary<Evidence> = fc.record({
  before: anyRun,
  after: tested,
  changedLines: fc.nat(1_000_000),
  changedFiles: fc.nat(1000),
  toolFailures: fc.nat(50),
  repeatedCalls: fc.nat(12),
  extraRounds: fc.nat(5),
  ownEstimate: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});
const confidence = (given: Evidence) => {
  const computed = computeConfidence(given);
  if (computed === null) throw new Error('There is no score.');
  return computed;
};
const score = (given: Evidence) => confidence(given).score;

const afterFive = (after: number) =>
  score({
    before: counted(5),
    after: counted(after),
    changedLines: 1,
    changedFiles: 1,
    toolFailures: 0,
    repeatedCalls: 0,
    extraRounds: 0,
    ownEstimate: null,
  });

const failedWith = (output: string, exitCode = 1) =>
  run({ verdict: 'failed', exitCode, outputDigest: outputDigest(output) });

const many = (count: number) => ({
  ...failed('a', 'b'),
  counts: { passed: 1, failed: count, skipped: 0 },
});

describe('before and after', () => {
  it('[VF4] distinguishes fixed, broken and still failing tests', () => {
    expect(compareRuns(failed('a', 'b'), failed('b', 'c'))).toEqual({
      fixed: ['a'],
      broken: ['c'],
      stillFailing: ['b'],
      moreTests: 0,
    });
    expect(compareRuns(failed('a'), run())).toMatchObject({ fixed: ['a'], broken: [] });
  });

  it('[VF4] claims nothing when one run is unknown', () => {
    expect(compareRuns(null, run())).toBeNull();
    expect(compareRuns(run({ verdict: 'timed-out' }), failed('a'))).toBeNull();
    expect(compareRuns(run({ command: 'make' }), run())).toBeNull();
    // It failed without a name: the tests may not have run.
    expect(compareRuns(failed('a'), run({ verdict: 'failed', exitCode: 1 }))?.fixed).toEqual([]);
    expect(compareRuns(run({ verdict: 'failed', exitCode: 1 }), failed('a'))?.broken).toEqual([]);
  });

  it('[VF4] only failures that the work caused count', () => {
    expect(isRegression(null, failed('a'))).toBe(true);
    expect(isRegression(run(), failed('a'))).toBe(true);
    expect(isRegression(failed('a'), failed('a'))).toBe(false);
    expect(isRegression(failed('a'), failed('a', 'b'))).toBe(true);
    expect(isRegression(failed('a'), run())).toBe(false);
    expect(isRegression(run(), run({ verdict: 'unavailable' }))).toBe(false);
    const nameless = run({ verdict: 'failed', exitCode: 1 });
    expect(isRegression(failed('a'), nameless)).toBe(true);
  });

  it('[VF16] unnamed failures are compared by exit code and output', () => {
    const before = failedWith('/base/x/run.ts:3:1 boom at 0xfe in 12ms\nseed: 4711\n10:11:12 end');
    const after = failedWith('10:59:01 end\n/home/user/run.ts:9:4 boom at 0x12 in 1.5 s\nseed: 12');
    expect(isRegression(before, after)).toBe(false);
    expect(isRegression(before, failedWith('10:59:01 end\nrun.ts boom twice'))).toBe(true);
    expect(isRegression(before, { ...after, exitCode: 2 })).toBe(true);
    // More failures than kept names: no new name and no larger number.
    expect(isRegression(many(80), many(80))).toBe(false);
    expect(isRegression(many(80), many(81))).toBe(true);
  });

  it('[VF6] the repair prompt has the command, the failing tests and the end of the output', () => {
    const text = repairText(failed('a'), failed('a', 'b'), 'x\n```\ny');
    expect(text).toContain('`npm test`');
    expect(text).toContain('- `b`');
    expect(text).not.toContain('- `a`');
    expect(text).toContain('````\nx\n```\ny\n````');
  });
});

describe('confidence', { timeout: 60_000 }, () => {
  it('[VF5] is a whole number from 0 to 100, and its parts add up to it', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const { score: whole, parts } = confidence(given);
        expect(Number.isInteger(whole) && whole >= 0 && whole <= 100).toBe(true);
        for (const { value, text } of parts) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
          expect(text).not.toBe('');
        }
        const weights = parts.reduce((sum, { weight }) => sum + weight, 0);
        const sum = parts.reduce((total, { weight, value }) => total + weight * value, 0);
        expect(whole).toBe(Math.round((100 * sum) / weights));
      }),
    );
  });

  it('[VF5] never increases with a larger change, more errors, repetitions or rounds', () => {
    const worse = fc.record({
      changedLines: fc.nat(5000),
      toolFailures: fc.nat(5),
      repeatedCalls: fc.nat(5),
      extraRounds: fc.nat(3),
    });
    fc.assert(
      fc.property(evidence, worse, (given, more) => {
        const next = {
          ...given,
          changedLines: given.changedLines + more.changedLines,
          toolFailures: given.toolFailures + more.toolFailures,
          repeatedCalls: given.repeatedCalls + more.repeatedCalls,
          extraRounds: given.extraRounds + more.extraRounds,
        };
        expect(score(next)).toBeLessThanOrEqual(score(given));
      }),
    );
  });

  it('[VF15] there is no score without a test, but a reason', () => {
    fc.assert(
      fc.property(evidence, untested, (given, after) => {
        expect(computeConfidence({ ...given, after })).toBeNull();
        expect(whyNotVerified(after, 60_000)).toMatch(/^(No test command|`npm test`) .*\S\.$/s);
      }),
    );
    fc.assert(fc.property(tested, (after) => whyNotVerified(after, 0) === null));
  });

  it('[VF13] testing the same work again gives the same score', () => {
    fc.assert(
      fc.property(evidence, tested, (given, after) => {
        expect(retestedConfidence(confidence(given), given.before, after)).toEqual(
          confidence({ ...given, after }),
        );
      }),
    );
  });

  it('[VF5] a failing run is never better than one that passed', () => {
    fc.assert(
      fc.property(evidence, names, (given, failing) => {
        const before = given.before?.verdict === 'failed' ? null : given.before;
        const of = (after: VerificationRun) => score({ ...given, before, after });
        expect(of(failed(...failing, 'e'))).toBeLessThanOrEqual(of(run()));
      }),
    );
    const small = { changedLines: 3, changedFiles: 1, toolFailures: 0, repeatedCalls: 1 };
    const best = { ...small, extraRounds: 0, ownEstimate: null, before: failed('a') };
    expect(score({ ...best, after: run() })).toBeGreaterThan(90);
    expect(score({ ...best, after: failed('a', 'b') })).toBeLessThanOrEqual(40);
  });

  it('[VF5] removed tests lower the score', () => {
    expect(afterFive(4)).toBeLessThan(afterFive(5));
    expect(afterFive(5)).toBeLessThan(afterFive(6));
  });
});
