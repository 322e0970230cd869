/** Gap between neighbours: it can be halved about forty times before the column must be respaced. */
const GAP = 1024;

/**
 * A position between two neighbours; null is the end of the column. Only the moved card changes.
 * Undefined when no number is left between them: the caller must respace the column first.
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
