/** A long file has tens of thousands of words: only those that somebody looks at are drawn one by one. */
const rowsOfPart = 100;

export interface RowsPart<Row> {
  /** The place of its first row among all. */
  readonly first: number;
  readonly rows: readonly Row[];
}

export function partsOf<Row>(rows: readonly Row[]): readonly RowsPart<Row>[] {
  const parts: RowsPart<Row>[] = [];
  for (let first = 0; first < rows.length; first += rowsOfPart)
    parts.push({ first, rows: rows.slice(first, first + rowsOfPart) });
  return parts;
}
