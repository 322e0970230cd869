/** A long file has tens of thousands of tokens: only chunks in view are rendered token by token. */
const rowsOfPart = 100;

export interface RowsPart<Row> {
  /** The index of its first row. */
  readonly first: number;
  readonly rows: readonly Row[];
}

export function partsOf<Row>(rows: readonly Row[]): readonly RowsPart<Row>[] {
  const parts: RowsPart<Row>[] = [];
  for (let first = 0; first < rows.length; first += rowsOfPart)
    parts.push({ first, rows: rows.slice(first, first + rowsOfPart) });
  return parts;
}
