export interface HunkLine {
  /** `removed` is on the old side, `added` on the new one, `same` on both; other lines are on neither. */
  readonly kind: string;
  /** Without its sign. */
  readonly text: string;
}

export interface Side {
  readonly text: string;
  /** The line number of each line on this side. */
  readonly places: ReadonlyMap<HunkLine, number>;
}

/** Splits a hunk into its old and its new text. Highlighted as one text, a comment could end where it never did. */
export const hunkSides = (lines: readonly HunkLine[]) => ({
  before: sideOf(lines, 'removed'),
  now: sideOf(lines, 'added'),
});

function sideOf(lines: readonly HunkLine[], changed: 'removed' | 'added'): Side {
  const own = lines.filter(({ kind }) => kind === changed || kind === 'same');
  const texts = own.map(({ text }) => text);
  const opening = beginsInComment(texts) ? ['/*'] : [];
  return {
    text: [...opening, ...texts].join('\n'),
    places: new Map(own.map((line, place) => [line, opening.length + place])),
  };
}

/** A hunk often begins within the comment of what it changes: lines with a star in front, and the last of them ends it. */
function beginsInComment(texts: readonly string[]): boolean {
  const first = texts.findIndex((text) => !/^\s*\*/.test(text) || text.includes('*/'));
  return /^\s*\*(.*\*)?\/\s*$/.test(texts[first] ?? '');
}
