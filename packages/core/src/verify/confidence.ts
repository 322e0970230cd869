import type { Confidence, ConfidencePart, VerificationRun } from '@ship/protocol';
import { compareRuns, isRegression } from './compare.ts';

/** The inputs of the score: observed facts and, with a small weight, the agent's own estimate. */
export interface Evidence {
  before: VerificationRun | null;
  after: VerificationRun | null;
  changedLines: number;
  changedFiles: number;
  /** Tool calls of the session that ended with an error. */
  toolFailures: number;
  /** The highest number of identical calls with identical results. */
  repeatedCalls: number;
  /** Further attempts, and rounds that Ship requested after a failed command, over the whole session. */
  extraRounds: number;
  /** The agent's estimate from 0 to 1; null without one. */
  ownEstimate: number | null;
}

/** From this number of changed lines, the score for size is 0. */
const HUGE_CHANGE = 2_000;
const SMALL_CHANGE = 20;

/** Why the work counts as not verified; null when tests have run. `limitMs` is the command's timeout. */
export function whyNotVerified(after: VerificationRun | null, limitMs: number): string | null {
  if (after === null) return 'No test command is known for this repository.';
  const command = `\`${after.command.replaceAll(/[`\s]+/g, ' ').slice(0, 100)}\``;
  const { verdict, counts } = after;
  if (verdict === 'unavailable') return `${command} could not run in the sandbox.`;
  if (verdict === 'timed-out')
    return `${command} did not finish within ${Math.round(limitMs / 60_000)} min.`;
  if (counts !== null && counts.passed + counts.failed === 0) return `${command} ran no test.`;
  return null;
}

/**
 * A weighted mean of the evidence. The tests weigh more than everything else together, so there is no score for untested
 * work.
 */
export function computeConfidence(evidence: Evidence): Confidence | null {
  const { after } = evidence;
  if (after === null || whyNotVerified(after, 0) !== null) return null;
  return scored([
    tests(evidence.before, after),
    testCount(evidence),
    size(evidence),
    errors(evidence),
    rounds(evidence),
    ...estimate(evidence),
  ]);
}

/** The score after a new test run of the same work: the other parts have not changed. */
export function retestedConfidence(
  known: Confidence,
  before: VerificationRun | null,
  after: VerificationRun,
): Confidence | null {
  if (whyNotVerified(after, 0) !== null) return null;
  const rest = known.parts.filter(({ name }) => name !== 'tests' && name !== 'test-count');
  return scored([tests(before, after), testCount({ before, after }), ...rest]);
}

function scored(parts: ConfidencePart[]): Confidence {
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0);
  const sum = parts.reduce((total, { weight, value }) => total + weight * value, 0);
  return { score: Math.round((100 * sum) / weights), parts };
}

function part(value: number, text: string): ConfidencePart {
  return { name: 'tests', weight: 60, value, text };
}

function tests(before: VerificationRun | null, after: VerificationRun): ConfidencePart {
  const fixed = compareRuns(before, after)?.fixed.length ?? 0;
  if (after.verdict === 'passed') {
    if (before?.verdict === 'failed' && before.command === after.command)
      return part(1, `Was failing, now passing${fixed > 0 ? ` (${fixed} fixed)` : ''}.`);
    return before?.verdict === 'passed'
      ? part(0.9, 'Passed before, passes now.')
      : part(0.8, 'Passes; the result before the change is unknown.');
  }
  return isRegression(before, after)
    ? part(0, 'Fails.')
    : part(0.35, 'Fails as it did before the change, nothing new fails.');
}

/** Counts removed tests against the work: removing tests makes a run pass as well as a fix does. */
function testCount({ before, after }: Pick<Evidence, 'before' | 'after'>): ConfidencePart {
  const more = compareRuns(before, after)?.moreTests ?? null;
  const [value, text] =
    more === null
      ? [0.5, 'The number of tests added is unknown.']
      : more > 0
        ? [1, `${plural(more, 'test')} added.`]
        : more === 0
          ? [0.7, 'No tests added.']
          : [0, `${plural(-more, 'test')} fewer than before.`];
  return { name: 'test-count', weight: 10, value, text };
}

function size({ changedLines, changedFiles }: Evidence): ConfidencePart {
  const share =
    Math.log(Math.max(changedLines, SMALL_CHANGE) / SMALL_CHANGE) /
    Math.log(HUGE_CHANGE / SMALL_CHANGE);
  return {
    name: 'size',
    weight: 15,
    value: 1 - Math.min(1, share),
    text: `${plural(changedLines, 'line')} changed in ${plural(changedFiles, 'file')}.`,
  };
}

function errors({ toolFailures }: Evidence): ConfidencePart {
  return {
    name: 'errors',
    weight: 10,
    value: Math.max(0, 1 - toolFailures * 0.2),
    text: toolFailures === 0 ? 'No tool errors.' : `${plural(toolFailures, 'tool error')}.`,
  };
}

function rounds({ repeatedCalls, extraRounds }: Evidence): ConfidencePart {
  const repeats = Math.max(0, repeatedCalls - 1);
  return {
    name: 'rounds',
    weight: 5,
    value: Math.max(0, 1 - repeats * 0.25 - extraRounds * 0.5),
    text:
      extraRounds + repeats === 0
        ? 'Done in one pass, no repeated calls.'
        : `${[
            ...(extraRounds > 0 ? [plural(extraRounds, 'extra round')] : []),
            ...(repeats > 0 ? [plural(repeats, 'repeated call')] : []),
          ].join(', ')}.`,
  };
}

/** The agent's own estimate has the smallest weight: a confident agent may be wrong. */
function estimate({ ownEstimate }: Evidence): ConfidencePart[] {
  if (ownEstimate === null) return [];
  const text = `The agent’s own estimate: ${Math.round(100 * ownEstimate)} %.`;
  return [{ name: 'own-estimate', weight: 5, value: ownEstimate, text }];
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
