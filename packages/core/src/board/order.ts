/** Room between neighbours: a position is halved about forty times before a column must be spread out again. */
const GAP = 1024;

/**
 * A position between two neighbours; a missing one is the end of the column. Only the moved card changes.
 * Undefined when no number is left between them: then the column is spread out first.
 */
export function positionBetween(above: number | null, below: number | null): number | undefined {
  if (above === null && below === null) return 0;
  if (above === null) return (below ?? 0) - GAP;
  if (below === null) return above + GAP;
  const middle = above + (below - above) / 2;
  return middle > above && middle < below ? middle : undefined;
}

/** Fresh positions for a whole column, in order. */
export function spreadPositions(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index * GAP);
}
