/** Parses the lines that every agent adds to the end of its last message, for the commit and the pull request. */

export interface ClosingLines {
  /** One line about this turn's change. */
  change: string | null;
  /** A description of all changes since the session began. */
  whole: string | null;
  /** The message without these lines. */
  rest: string;
}

/** Allows the marks that models put around it. Only at the start of a line: prose that uses the word stays. */
const LINE = /^[\s>*_`#-]{0,10}(change|whole change)[*_`]{0,3}:[*_`]{0,3}\s+(\S.*)$/i;
const MAX_LINE = 1_000;
const MAX_CHANGE = 200;

/** The last line of each kind counts. Matches each line alone, so that the time stays linear in the message's length. */
export function closingLines(text: string): ClosingLines {
  const found: ClosingLines = { change: null, whole: null, rest: '' };
  const kept = text.split('\n').filter((line) => {
    const [, name, said] = (line.length > MAX_LINE ? null : LINE.exec(line)) ?? [];
    if (name === undefined || said === undefined) return true;
    if (name.toLowerCase() === 'change') found.change = said.trim().slice(0, MAX_CHANGE);
    else found.whole = said.trim();
    return false;
  });
  return { ...found, rest: kept.join('\n').trimEnd() };
}
