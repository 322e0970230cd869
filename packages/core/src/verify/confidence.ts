import type { Confidence, ConfidencePart, VerificationRun } from '@ship/protocol';
import { compareRuns, isRegression } from './compare.ts';

/** All that the score is computed from: things that were seen and, for little, what the agent itself says. */
export interface Evidence {
  before: VerificationRun | null;
  after: VerificationRun | null;
  changedLines: number;
  changedFiles: number;
  /** Tools of the turn that ended with an error. */
  toolFailures: number;
  /** The same call with the same result, most often. */
  repeatedCalls: number;
  /** Attempts beyond the first, and rounds because the command failed. */
  extraRounds: number;
  /** The agent's own, from 0 to 1; null when it does not say. */
  ownEstimate: number | null;
}

/** From so many changed lines on, size speaks against the work as much as it can. */
const HUGE_CHANGE = 2_000;
const SMALL_CHANGE = 20;

/** A weighted mean of what speaks for the work. The tests weigh more than everything else together. */
export function computeConfidence(evidence: Evidence): Confidence {
  const parts = [
    tests(evidence),
    testCount(evidence),
    size(evidence),
    errors(evidence),
    rounds(evidence),
    ...estimate(evidence),
  ];
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0);
  const sum = parts.reduce((total, { weight, value }) => total + weight * value, 0);
  return { score: Math.round((100 * sum) / weights), parts };
}

function part(value: number, text: string): ConfidencePart {
  return { name: 'tests', weight: 60, value, text };
}

function tests({ before, after }: Evidence): ConfidencePart {
  if (after === null) return part(0.3, 'Nothing was run: no command is known.');
  const fixed = compareRuns(before, after)?.fixed.length ?? 0;
  switch (after.verdict) {
    case 'passed':
      if (before?.verdict === 'failed' && before.command === after.command)
        return part(1, `It failed before and passes now${fixed > 0 ? ` (${fixed} mended)` : ''}.`);
      return before?.verdict === 'passed'
        ? part(0.9, 'It passed before and passes now.')
        : part(0.8, 'It passes; how it was before is not known.');
    case 'failed':
      return isRegression(before, after)
        ? part(0, 'It fails.')
        : part(0.35, 'It fails as it did before, and nothing else does.');
    case 'unavailable':
      return part(0.3, 'The command could not run.');
    case 'timed-out':
      return part(0.2, 'The command did not end in time.');
  }
}

/** Tests that disappear make a run pass as well as a correction does. */
function testCount({ before, after }: Evidence): ConfidencePart {
  const more = compareRuns(before, after)?.moreTests ?? null;
  const [value, text] =
    more === null
      ? [0.5, 'Whether there are more tests than before is not known.']
      : more > 0
        ? [1, `There are ${more} more tests than before.`]
        : more === 0
          ? [0.7, 'There are as many tests as before.']
          : [0, `There are ${-more} fewer tests than before.`];
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
    text:
      toolFailures === 0
        ? 'No tool ended with an error.'
        : `${plural(toolFailures, 'tool')} ended with an error.`,
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
        ? 'No further round was needed, no call was repeated in vain.'
        : `${plural(extraRounds, 'further round')} needed, ${plural(repeats, 'call')} repeated in vain.`,
  };
}

/** Who is unsure has a reason; who is sure may be wrong: it weighs as much as the least of what was seen. */
function estimate({ ownEstimate }: Evidence): ConfidencePart[] {
  if (ownEstimate === null) return [];
  const text = `The agent itself says ${Math.round(100 * ownEstimate)} %.`;
  return [{ name: 'own-estimate', weight: 5, value: ownEstimate, text }];
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
