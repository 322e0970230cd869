import { createId } from '@ship/protocol';
import type { Board, BoardColumn, Card, CardId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { applyToBoard, moveOnBoard } from './apply.ts';

const draft = (cardId: CardId, position: number, column: BoardColumn = 'backlog'): Card => ({
  kind: 'draft',
  cardId,
  column,
  position,
  createdAt: 0,
  updatedAt: 0,
  draft: { title: cardId, text: '', repository: null, base: null, model: null },
});
const [a, b, c] = [createId('crd'), createId('crd'), createId('crd')];

const board: Board = {
  columns: [
    { column: 'backlog', cards: [draft(a, 1), draft(b, 2), draft(c, 3)], total: 9 },
    { column: 'done', cards: [], total: 0 },
  ],
  working: 0,
  workingLimit: 4,
  version: 1,
};
const order = (given: Board | undefined, column: BoardColumn) =>
  given?.columns.find((one) => one.column === column)?.cards.map(({ cardId }) => cardId);

describe('the board', () => {
  it.each([
    ['to the top', c, null, [c, a, b]],
    ['below another', a, b, [b, a, c]],
    ['to the end', a, c, [b, c, a]],
    ['where it is', b, a, [a, b, c]],
  ])('[WB2] a card moves %s', (_, card, after, expected) => {
    expect(order(moveOnBoard(board, card, 'backlog', after), 'backlog')).toEqual(expected);
  });

  it('[WB2] a moved card counts in its new column only', () => {
    const moved = moveOnBoard(board, b, 'done', null);
    expect(order(moved, 'done')).toEqual([b]);
    expect(moved.columns.map(({ total }) => total)).toEqual([8, 1]);
  });

  it('[WB2] a repeated change has no effect', () => {
    const change = { type: 'card.changed', card: draft(a, 2.5) } as const;
    const once = applyToBoard(board, change);
    expect(order(once, 'backlog')).toEqual([b, a, c]);
    expect(once === undefined ? undefined : applyToBoard(once, change)).toEqual(once);
  });

  it('is refetched when many cards moved at once', () => {
    expect(applyToBoard(board, { type: 'board.reordered' })).toBeUndefined();
  });
});
