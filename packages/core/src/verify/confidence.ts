import type { Confidence, ConfidencePart, VerificationRun } from '@ship/protocol';
import { compareRuns, isRegression } from './compare.ts';

/** All that the score is computed from: things that were seen and, for little, what the agent itself says. */
export interface Evidence {
  before: VerificationRun | null;
  after: VerificationRun | null;
  changedLines: number;
  changedFiles: number;
  /** Tool calls of the session that ended with an error. */
  toolFailures: number;
  /** The same call with the same result, most often. */
  repeatedCalls: number;
  /** Attempts beyond the first, and rounds that Ship asked for because the command failed, over the whole session. */
  extraRounds: number;
  /** The agent's own, from 0 to 1; null when it does not say. */
  ownEstimate: number | null;
}

/** From so many changed lines on, size speaks against the work as much as it can. */
const HUGE_CHANGE = 2_000;
const SMALL_CHANGE = 20;

/** Why the work counts as not verified; null when a test has judged it. `limitMs` is what the command may take. */
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
 * A weighted mean of what speaks for the work. The tests weigh more than everything else together, so there is no score
 * for work that no test has judged.
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

/** The same work, tested again: its size and how it was made have not changed. */
export function testedAgain(
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

/** Tests that disappear make a run pass as well as a correction does. */
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

/** Who is unsure has a reason; who is sure may be wrong: it weighs as much as the least of what was seen. */
function estimate({ ownEstimate }: Evidence): ConfidencePart[] {
  if (ownEstimate === null) return [];
  const text = `The agent’s own estimate: ${Math.round(100 * ownEstimate)} %.`;
  return [{ name: 'own-estimate', weight: 5, value: ownEstimate, text }];
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
