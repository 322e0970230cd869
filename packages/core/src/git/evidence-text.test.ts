import type { VerificationRun } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { computeConfidence } from '../verify/confidence.ts';
import { type EvidenceFacts, evidenceText } from './evidence-text.ts';

const run = (changes: Partial<VerificationRun> = {}): VerificationRun => ({
  command: 'npm test',
  source: 'package.json',
  verdict: 'passed',
  exitCode: 0,
  durationMs: 1_260,
  counts: { passed: 3, failed: 0, skipped: 0 },
  failing: [],
  link: null,
  ...changes,
});
const failing = run({
  verdict: 'failed',
  exitCode: 1,
  counts: { passed: 2, failed: 1, skipped: 0 },
  failing: ['pages > last'],
});
const facts: EvidenceFacts = {
  verification: { before: failing, after: run(), output: 'all of it' },
  whyNotVerified: null,
  confidence: null,
  changes: { files: 1, additions: 2, deletions: 1 },
  costUsd: 0.05,
  sessionUrl: null,
};

const sha = (letter: string) => letter.repeat(40);

describe('evidence in a pull request', () => {
  it('[VF8] shows command, exit code, duration and tests before and after, fixed tests, size and cost', () => {
    const text = evidenceText(facts);
    for (const part of [
      '✅ `npm test` passed',
      '| exit code | 1 | 0 |',
      '| tests | 2 passed, 1 failed | 3 passed |',
      '| duration | 1.3 s | 1.3 s |',
      '- Failing → passing: `pages > last`',
      '| changed |  | 1 file, +2 −1 |',
      '| cost |  | $0.05 |',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('all of it');
  });

  it('[VF8] says what fails, what failed before, and shows the output', () => {
    const after = { ...failing, failing: ['pages > last', 'new one'] };
    const verification = { before: { ...failing }, after, output: 'the end' };
    const text = evidenceText({ ...facts, verification });
    expect(text).toContain('❌ `npm test` failed');
    expect(text).toContain('- Failing as before: `pages > last`');
    expect(text).toContain('```\nthe end\n```');
    const first = evidenceText({ ...facts, verification: { ...verification, before: null } });
    expect(first).toContain('- Failing: `pages > last`, `new one`');
    expect(first).toContain('| exit code | – | 1 |');
  });

  it('[VF8] a run that could not start and a missing run are called not verified', () => {
    for (const verdict of ['unavailable', 'timed-out'] as const) {
      const verification = { before: null, after: run({ verdict, counts: null }), output: 'oh' };
      const text = evidenceText({ ...facts, verification });
      expect(text).toContain('**not verified**');
      expect(text).not.toMatch(/✅|❌/);
    }
    const none = { ...facts, verification: null };
    expect(evidenceText(none)).toContain('**Not verified.** No test command is known');
    expect(evidenceText({ ...none, whyNotVerified: 'It was stopped.' })).toContain(
      'It was stopped. There is no confidence score without a test.',
    );
  });

  it('[VF8] names the tests that disappeared, and the parts of the confidence', () => {
    const before = run({ counts: { passed: 9, failed: 0, skipped: 0 } });
    const confidence = computeConfidence({
      before,
      after: run(),
      changedLines: 1,
      changedFiles: 1,
      toolFailures: 0,
      repeatedCalls: 0,
      extraRounds: 0,
      ownEstimate: null,
    });
    const verification = { before, after: run(), output: null };
    const text = evidenceText({ ...facts, verification, confidence });
    expect(text).toContain('6 fewer tests than before');
    expect(text).toContain(`Confidence ${confidence?.score} of 100`);
    expect(text).toContain('| tests | 54 of 60 | Passed before, passes now. |');
  });

  it('[VF13] names its commit, and evidence of another commit is marked stale', () => {
    const [base, old, head] = [sha('a'), sha('b'), sha('c')];
    const before = { ...failing, commit: base };
    const verification = { before, after: run({ commit: old }), output: null };
    const text = evidenceText({ ...facts, verification, headSha: head });
    expect(text).toContain('✅ `npm test` passed on `bbbbbbbbb`');
    expect(text).toContain('| commit | `aaaaaaaaa` | `bbbbbbbbb` |');
    expect(text).toContain('**Stale:** the branch is at `ccccccccc` now');
    expect(evidenceText({ ...facts, verification, headSha: old })).not.toContain('Stale');
    // Older logs do not contain the commit.
    expect(evidenceText({ ...facts, headSha: head })).not.toContain('Stale');
  });

  it('[VF14] lists changed files, new tests and whether they fail without the change', () => {
    const tests = {
      files: ['a.test.ts'],
      names: ['sums_cents'],
      failingWithoutChange: ['sums_cents'],
    };
    const list = [
      { path: 'src/a.ts', additions: 2, deletions: 1 },
      { path: 'logo.png', additions: null, deletions: null },
    ];
    const changes = { files: 3, additions: 2, deletions: 1, list };
    const of = (withoutChange: 'fail' | 'pass' | 'unknown') =>
      evidenceText({ ...facts, changes, newTests: { ...tests, withoutChange } });
    expect(of('fail')).toContain('- New or changed tests: `sums_cents`');
    expect(of('fail')).toContain('**fail on the base without this change**');
    expect(of('pass')).toContain('⚠️ They also **pass on the base without this change**');
    expect(of('unknown')).toContain('could not run on the base');
    const two = { ...tests, names: ['sums_cents', 'adds'], withoutChange: 'fail' as const };
    const partly = evidenceText({ ...facts, newTests: two });
    expect(partly).toContain('✅ 1 of 2 **fail on the base without this change**.');
    expect(partly).toContain('- ⚠️ Pass there too: `adds`');
    expect(of('fail')).toContain('- `src/a.ts` +2 −1\n- `logo.png` binary\n- and 1 more');
  });
});
