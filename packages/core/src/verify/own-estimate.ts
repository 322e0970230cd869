/** Instructions for every agent, independent of the settings. */
export const SHIP_INSTRUCTIONS = `If you have changed files, end your last message with these three lines, each on a separate line:

Change: what this turn changed, in the imperative, at most 60 characters, identifiers as they are written in the code
Whole change: one to three sentences for the reviewer about everything that has changed since the session began, not only in this turn
Confidence: N%

N is how likely a careful reviewer is to accept the change as it is, by your own honest estimate.
`;

/** Alone on its line; allows the marks that models put around it. */
const LINE = /^[\s>*_`#-]*confidence[\s*_`]*[:=][\s*_`~≈]*(\d{1,3})\s*(?:%|\/\s*100)?[\s*_`.]*$/i;
/** Only short lines are matched: on a long text the pattern would take quadratic time. */
const MAX_LINE = 80;

const percentIn = (line: string): string | undefined =>
  line.length > MAX_LINE ? undefined : LINE.exec(line)?.[1];

/** The agent's own estimate from 0 to 1; null without one. The last line counts. */
export function ownEstimate(text: string): number | null {
  const percents = text.split('\n').flatMap((line) => percentIn(line) ?? []);
  const percent = Number(percents.at(-1) ?? Number.NaN);
  return percent <= 100 ? percent / 100 : null;
}

/** Removes the estimate from text that is shown beside Ship's score: two confidence numbers would contradict each other. */
export function withoutEstimate(text: string): string {
  const lines = text.split('\n');
  return lines
    .filter((line) => percentIn(line) === undefined)
    .join('\n')
    .trimEnd();
}
