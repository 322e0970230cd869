import type { VerificationRun } from '@ship/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns, isRegression } from './compare.ts';
import { type Evidence, computeConfidence } from './confidence.ts';
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
const anyRun = fc.oneof(
  fc.constant(null),
  names.map((failing) => failed(...failing)),
  fc.constantFrom('passed', 'unavailable', 'timed-out').map((verdict) => run({ verdict })),
  fc.nat(20).map(counted),
);
const evidence: fc.Arbitrary<Evidence> = fc.record({
  before: anyRun,
  after: anyRun,
  changedLines: fc.nat(1_000_000),
  changedFiles: fc.nat(1000),
  toolFailures: fc.nat(50),
  repeatedCalls: fc.nat(12),
  extraRounds: fc.nat(5),
  ownEstimate: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});
const score = (given: Evidence) => computeConfidence(given).score;

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

describe('before and after', () => {
  it('[VF4] what was mended, what was broken and what was so before are told apart', () => {
    expect(compareRuns(failed('a', 'b'), failed('b', 'c'))).toEqual({
      fixed: ['a'],
      broken: ['c'],
      stillFailing: ['b'],
      moreTests: 0,
    });
    expect(compareRuns(failed('a'), run())).toMatchObject({ fixed: ['a'], broken: [] });
  });

  it('[VF4] where either is not known, nothing is claimed', () => {
    expect(compareRuns(null, run())).toBeNull();
    expect(compareRuns(run({ verdict: 'timed-out' }), failed('a'))).toBeNull();
    expect(compareRuns(run({ command: 'make' }), run())).toBeNull();
    // It failed without a name: the tests may not have been reached.
    expect(compareRuns(failed('a'), run({ verdict: 'failed', exitCode: 1 }))?.fixed).toEqual([]);
    expect(compareRuns(run({ verdict: 'failed', exitCode: 1 }), failed('a'))?.broken).toEqual([]);
  });

  it('[VF4] only what the work made worse is its fault', () => {
    expect(isRegression(null, failed('a'))).toBe(true);
    expect(isRegression(run(), failed('a'))).toBe(true);
    expect(isRegression(failed('a'), failed('a'))).toBe(false);
    expect(isRegression(failed('a'), failed('a', 'b'))).toBe(true);
    expect(isRegression(failed('a'), run())).toBe(false);
    expect(isRegression(run(), run({ verdict: 'unavailable' }))).toBe(false);
    const nameless = run({ verdict: 'failed', exitCode: 1 });
    expect(isRegression(failed('a'), nameless)).toBe(true);
  });

  it('[VF6] the agent is told the command, what fails now and the end of the output', () => {
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
        const { score: whole, parts } = computeConfidence(given);
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

  it('[VF5] never rises with a larger change, more errors, repetitions or rounds', () => {
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

  it('[VF5] a failing run is never better than one that was not verified, and that never than one that passed', () => {
    fc.assert(
      fc.property(evidence, names, (given, failing) => {
        const before = given.before?.verdict === 'failed' ? null : given.before;
        const of = (after: VerificationRun | null) => score({ ...given, before, after });
        expect(of(failed(...failing, 'e'))).toBeLessThanOrEqual(of(null));
        expect(of(null)).toBeLessThanOrEqual(of(run()));
      }),
    );
    const small = { changedLines: 3, changedFiles: 1, toolFailures: 0, repeatedCalls: 1 };
    const best = { ...small, extraRounds: 0, ownEstimate: null, before: failed('a') };
    expect(score({ ...best, after: run() })).toBeGreaterThan(90);
    expect(score({ ...best, after: failed('a', 'b') })).toBeLessThanOrEqual(40);
  });

  it('[VF5] tests that disappear speak against the work', () => {
    expect(afterFive(4)).toBeLessThan(afterFive(5));
    expect(afterFive(5)).toBeLessThan(afterFive(6));
  });
});
