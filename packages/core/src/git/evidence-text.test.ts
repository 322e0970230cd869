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
};

describe('evidence in a pull request', () => {
  it('[VF8] shows command, exit, duration and tests before and after, what was mended, the size and the cost', () => {
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

  it('[VF8] what could not run is called not verified, and so is what nobody ran', () => {
    for (const verdict of ['unavailable', 'timed-out'] as const) {
      const verification = { before: null, after: run({ verdict, counts: null }), output: 'oh' };
      const text = evidenceText({ ...facts, verification });
      expect(text).toContain('**not verified**');
      expect(text).not.toMatch(/✅|❌/);
    }
    const none = { ...facts, verification: null };
    expect(evidenceText(none)).toContain('Not verified: no command is known');
    expect(evidenceText({ ...none, whyNotVerified: 'it was stopped.' })).toContain(
      'it was stopped.',
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
    expect(text).toContain(`Confidence ${confidence.score} of 100`);
    expect(text).toContain('| tests | 54 of 60 | It passed before and passes now. |');
  });
});
