import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { type RowsPart, partsOf } from './parts.ts';
import { useSeen } from './use-seen.ts';

interface DrawProps<Row> {
  /** `isInSight` tells whether the row's chunk is or was in view. Rows should be memoized. */
  readonly draw: (row: Row, index: number, isInSight: boolean) => ReactNode;
  readonly className?: string | undefined;
}

/** Renders all rows, and tells each whether it is worth highlighting. */
export function RowsInParts<Row>({
  rows,
  ...drawing
}: DrawProps<Row> & { readonly rows: readonly Row[] }) {
  const parts = useMemo(() => partsOf(rows), [rows]);
  return parts.map((part) => <Part key={part.first} {...part} {...drawing} />);
}

function Part<Row>({ first, rows, className, draw }: RowsPart<Row> & DrawProps<Row>) {
  const [ref, isSeen] = useSeen<HTMLDivElement>(first === 0);
  return (
    <div ref={ref} className={className}>
      {rows.map((row, index) => draw(row, first + index, isSeen))}
    </div>
  );
}
