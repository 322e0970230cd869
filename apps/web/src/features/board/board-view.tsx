import type { Board, Card } from '@ship/protocol';
import { useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { ColumnView } from './column-view.tsx';
import type { DropPosition } from './column-view.tsx';
import { columnLabels } from './columns.ts';
import { DraftDialog } from './draft-dialog.tsx';
import { dropTarget, moveByKey, neighbourCard } from './move.ts';
import type { Direction } from './move.ts';
import { titleOf } from './title-of.ts';
import { useBoardActions } from './use-board-actions.ts';

const directions: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

interface BoardViewProps {
  readonly board: Board;
  readonly onAdd: () => void;
}

/** Cards move by drag and drop and by keyboard; a live region announces each move. */
export function BoardView({ board, onAdd }: BoardViewProps) {
  const actions = useBoardActions();
  const [dragged, setDragged] = useState<Card | null>(null);
  const [editing, setEditing] = useState<(Card & { kind: 'draft' }) | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const root = useRef<HTMLDivElement>(null);

  const focusCard = (cardId: string) =>
    requestAnimationFrame(() =>
      root.current?.querySelector<HTMLElement>(`[data-card="${cardId}"]`)?.focus(),
    );

  const onKey = (card: Card, event: KeyboardEvent) => {
    const direction = directions[event.key];
    if (direction === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!event.altKey) {
      const neighbour = neighbourCard(board, card.cardId, direction);
      if (neighbour !== undefined) focusCard(neighbour);
      return;
    }
    const target = moveByKey(board, card.cardId, direction);
    if (target === undefined) return;
    actions.move(card, target);
    setAnnouncement(`${titleOf(card)} moved to ${columnLabels[target.column].label}.`);
    focusCard(card.cardId);
  };

  const onDrop = (position: DropPosition) => {
    if (dragged === null) return;
    actions.move(dragged, dropTarget(board, dragged.cardId, position.column, position.over));
    setDragged(null);
  };

  return (
    <>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <div
        ref={root}
        className="flex min-h-0 flex-1 gap-3 overflow-x-auto overscroll-x-contain pb-2 max-md:-mx-4 max-md:snap-x max-md:snap-mandatory max-md:scroll-px-4 max-md:px-4"
      >
        {board.columns.map((column) => (
          <ColumnView
            key={column.column}
            column={column}
            limit={column.column === 'working' ? board.workingLimit : null}
            working={board.working}
            dragged={dragged}
            onDrop={onDrop}
            cardActions={{
              onKey,
              onDragStart: setDragged,
              onDragEnd: () => setDragged(null),
              onEdit: setEditing,
              onStart: actions.start,
            }}
            {...(column.column === 'backlog' && { onAdd })}
          />
        ))}
      </div>
      {editing !== null && (
        <DraftDialog
          card={editing}
          onClose={() => setEditing(null)}
          onRemove={() => {
            setEditing(null);
            actions.remove(editing);
          }}
        />
      )}
    </>
  );
}
