/** A long file has tens of thousands of tokens: only chunks in view are rendered token by token. */
const rowsPerChunk = 100;

export interface RowChunk<Row> {
  /** The index of its first row. */
  readonly first: number;
  readonly rows: readonly Row[];
}

export function chunksOf<Row>(rows: readonly Row[]): readonly RowChunk<Row>[] {
  const chunks: RowChunk<Row>[] = [];
  for (let first = 0; first < rows.length; first += rowsPerChunk)
    chunks.push({ first, rows: rows.slice(first, first + rowsPerChunk) });
  return chunks;
}
