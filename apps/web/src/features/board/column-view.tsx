import type { Board, BoardColumn, Card } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { DragEvent } from 'react';
import { CardView } from './card-view.tsx';
import type { CardActions } from './card-view.tsx';
import { columnLabels } from './columns.ts';

export interface DropPosition {
  readonly column: BoardColumn;
  readonly over: { readonly cardId: string; readonly isBelow: boolean } | null;
}

interface ColumnViewProps {
  readonly column: Board['columns'][number];
  /** For the Working column; null elsewhere. */
  readonly limit: number | null;
  readonly working: number;
  readonly dragged: Card | null;
  readonly cardActions: CardActions;
  readonly onDrop: (position: DropPosition) => void;
  readonly onAdd?: () => void;
}

/** The card under the pointer, and whether the pointer is in its lower half. */
function hoveredCard(event: DragEvent): DropPosition['over'] {
  const element = event.target instanceof Element ? event.target.closest('[data-card]') : null;
  if (!(element instanceof HTMLElement)) return null;
  const { top, height } = element.getBoundingClientRect();
  return {
    cardId: element.dataset['card'] ?? '',
    isBelow: event.clientY > top + height / 2,
  };
}

export function ColumnView(props: ColumnViewProps) {
  const { column, limit, working, dragged, cardActions, onDrop, onAdd } = props;
  const { label, empty } = columnLabels[column.column];
  const [over, setOver] = useState<{ readonly at: DropPosition['over'] } | null>(null);
  const isTarget = dragged !== null && over !== null;
  const isFull = limit !== null && working >= limit;
  return (
    <section
      aria-label={label}
      onDragOver={(event) => {
        if (dragged === null) return;
        event.preventDefault();
        setOver({ at: hoveredCard(event) });
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(null);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(null);
        onDrop({ column: column.column, over: hoveredCard(event) });
      }}
      className={cx(
        'flex w-[min(18rem,80vw)] shrink-0 snap-start flex-col rounded-xl border bg-rail transition-colors md:min-h-0 md:w-auto md:min-w-48 md:flex-1',
        isTarget ? 'border-accent bg-accent-soft' : 'border-line',
      )}
    >
      <div className="flex h-10 items-center gap-2 px-3">
        <h2 className="text-sm font-medium">{label}</h2>
        <span className="text-xs text-muted tabular-nums">
          {limit === null ? column.total : `${working} of ${limit}`}
          {isFull && <span className="text-warn"> · full</span>}
        </span>
        {onAdd !== undefined && (
          <button
            type="button"
            onClick={onAdd}
            aria-label="Add a task to the backlog"
            className="ml-auto grid size-7 place-items-center rounded-md text-faint hover:bg-hover hover:text-ink"
          >
            <Plus aria-hidden className="size-4" />
          </button>
        )}
      </div>
      <ul className="flex-1 space-y-2 px-2 pb-2 md:overflow-y-auto">
        {column.cards.map((card) => (
          <CardView
            key={card.cardId}
            card={card}
            isDragged={dragged?.cardId === card.cardId}
            mark={
              isTarget && over.at?.cardId === card.cardId
                ? over.at.isBelow
                  ? 'below'
                  : 'above'
                : null
            }
            actions={cardActions}
          />
        ))}
        {column.cards.length === 0 && (
          <li className="rounded-lg border border-dashed border-line-strong px-3 py-5 text-center text-sm text-pretty text-muted">
            {empty}
          </li>
        )}
        {column.total > column.cards.length && (
          <li className="px-2 py-1 text-xs text-muted">
            {column.total - column.cards.length} more
          </li>
        )}
      </ul>
    </section>
  );
}
