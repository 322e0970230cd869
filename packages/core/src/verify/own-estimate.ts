/** What every agent is told, whatever the settings say. */
export const SHIP_INSTRUCTIONS = `If you have changed files, end your last message with a line of its own that says how likely a careful reviewer is to accept the change as it is, by your own honest estimate:

Confidence: N%
`;

/** Alone on its line, with whatever marks a model puts around it. */
const LINE = /^[\s>*_`#-]*confidence[\s*_`]*[:=][\s*_`~≈]*(\d{1,3})\s*(?:%|\/\s*100)?[\s*_`.]*$/gim;

/** How sure the agent says it is, from 0 to 1; null when it does not say. The last word counts. */
export function ownEstimate(text: string): number | null {
  const percent = [...text.matchAll(LINE)].map(([, digits]) => Number(digits)).at(-1);
  return percent === undefined || percent > 100 ? null : percent / 100;
}

/** For readers who get the score: two numbers of that name would be one too many. */
export function withoutEstimate(text: string): string {
  return text.replaceAll(LINE, '').trimEnd();
}
