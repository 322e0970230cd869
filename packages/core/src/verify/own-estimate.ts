/** What every agent is told, whatever the settings say. */
export const SHIP_INSTRUCTIONS = `If you have changed files, end your last message with these three lines, each a line of its own:

Change: what this turn changed, in the imperative, at most 60 characters, identifiers as they are written in the code
Whole change: one to three sentences for the reviewer about everything that has changed since the session began, not only in this turn
Confidence: N%

N is how likely a careful reviewer is to accept the change as it is, by your own honest estimate.
`;

/** Alone on its line, with whatever marks a model puts around it. */
const LINE = /^[\s>*_`#-]*confidence[\s*_`]*[:=][\s*_`~≈]*(\d{1,3})\s*(?:%|\/\s*100)?[\s*_`.]*$/i;
/** Line by line, and short ones only: over a long text the pattern would take as long as its square. */
const MAX_LINE = 80;

const percentIn = (line: string): string | undefined =>
  line.length > MAX_LINE ? undefined : LINE.exec(line)?.[1];

/** How sure the agent says it is, from 0 to 1; null when it does not say. The last word counts. */
export function ownEstimate(text: string): number | null {
  const said = text.split('\n').flatMap((line) => percentIn(line) ?? []);
  const percent = Number(said.at(-1) ?? Number.NaN);
  return percent <= 100 ? percent / 100 : null;
}

/** For readers who get the score: two numbers of that name would be one too many. */
export function withoutEstimate(text: string): string {
  const lines = text.split('\n');
  return lines
    .filter((line) => percentIn(line) === undefined)
    .join('\n')
    .trimEnd();
}
