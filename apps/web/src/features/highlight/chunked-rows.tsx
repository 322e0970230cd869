import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { type RowChunk, chunksOf } from './chunks.ts';
import { useInViewOnce } from './use-in-view-once.ts';

interface RowProps<Row> {
  /** `isInView` tells whether the row's chunk is or was in view. Rows should be memoized. */
  readonly renderRow: (row: Row, index: number, isInView: boolean) => ReactNode;
  readonly className?: string | undefined;
}

/** Renders all rows, and tells each whether it is worth highlighting. */
export function ChunkedRows<Row>({
  rows,
  ...rowProps
}: RowProps<Row> & { readonly rows: readonly Row[] }) {
  const chunks = useMemo(() => chunksOf(rows), [rows]);
  return chunks.map((chunk) => <Chunk key={chunk.first} {...chunk} {...rowProps} />);
}

function Chunk<Row>({ first, rows, className, renderRow }: RowChunk<Row> & RowProps<Row>) {
  const [ref, isInView] = useInViewOnce<HTMLDivElement>(first === 0);
  return (
    <div ref={ref} className={className}>
      {rows.map((row, index) => renderRow(row, first + index, isInView))}
    </div>
  );
}
