export interface HunkLine {
  /** `removed` was there, `added` is there now, `same` both; others are on neither side. */
  readonly kind: string;
  /** Without its sign. */
  readonly text: string;
}

export interface Side {
  readonly text: string;
  /** Which line of this side each of its lines is. */
  readonly places: ReadonlyMap<HunkLine, number>;
}

/** A hunk is two texts: what was there and what is there now. Read as one, a comment would end where it never did. */
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
