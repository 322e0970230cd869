import type { Board, BoardColumn, Card } from '@ship/protocol';

export interface Target {
  readonly column: BoardColumn;
  readonly after: Card['cardId'] | null;
}

const order = (board: Board) => board.columns.map(({ column }) => column);
const cardsOf = (board: Board, column: BoardColumn) =>
  board.columns.find((one) => one.column === column)?.cards ?? [];

const positionOf = (board: Board, cardId: string) => {
  for (const { column, cards } of board.columns) {
    const index = cards.findIndex((card) => card.cardId === cardId);
    if (index >= 0) return { column, index, cards };
  }
  return undefined;
};

export type Direction = 'up' | 'down' | 'left' | 'right';

/** The target of a keyboard move; undefined at the edge of the board. */
export function moveByKey(board: Board, cardId: string, direction: Direction): Target | undefined {
  const position = positionOf(board, cardId);
  if (position === undefined) return undefined;
  const { column, index, cards } = position;
  if (direction === 'up')
    return index === 0 ? undefined : { column, after: cards[index - 2]?.cardId ?? null };
  if (direction === 'down') {
    const next = cards[index + 1];
    return next === undefined ? undefined : { column, after: next.cardId };
  }
  const neighbour = order(board)[order(board).indexOf(column) + (direction === 'left' ? -1 : 1)];
  return neighbour === undefined ? undefined : { column: neighbour, after: null };
}

/** The card that an arrow key focuses; empty columns are skipped. */
export function neighbourCard(
  board: Board,
  cardId: string,
  direction: Direction,
): string | undefined {
  const position = positionOf(board, cardId);
  if (position === undefined) return undefined;
  const { column, index, cards } = position;
  if (direction === 'up' || direction === 'down')
    return cards[index + (direction === 'up' ? -1 : 1)]?.cardId;
  const columns = order(board);
  const step = direction === 'left' ? -1 : 1;
  for (let at = columns.indexOf(column) + step; columns[at] !== undefined; at += step) {
    const there = cardsOf(board, columns[at] ?? column);
    const found = there[Math.min(index, there.length - 1)];
    if (found !== undefined) return found.cardId;
  }
  return undefined;
}

/** The target of a drop above or below the middle of a card, or into the empty part of a column. */
export function dropTarget(
  board: Board,
  dragged: string,
  column: BoardColumn,
  over: { readonly cardId: string; readonly isBelow: boolean } | null,
): Target {
  const cards = cardsOf(board, column).filter(({ cardId }) => cardId !== dragged);
  if (over === null) return { column, after: cards.at(-1)?.cardId ?? null };
  const index = cards.findIndex(({ cardId }) => cardId === over.cardId);
  const above = cards[over.isBelow ? index : index - 1];
  return { column, after: above?.cardId ?? null };
}

/** Moving an unstarted task to Working starts it. */
export const startsTask = (card: Card, column: BoardColumn): boolean =>
  card.kind === 'draft' && column === 'working';
