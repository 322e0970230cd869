import type { Board, BoardColumn, Card, SessionSummary, WorkspaceChange } from '@ship/protocol';

type Columns = Board['columns'];

const byPosition = (a: Card, b: Card) => a.position - b.position;

function without(columns: Columns, cardId: string): Columns {
  return columns.map((column) =>
    column.cards.some((card) => card.cardId === cardId)
      ? {
          ...column,
          cards: column.cards.filter((card) => card.cardId !== cardId),
          total: column.total - 1,
        }
      : column,
  );
}

/** Moves a card to its own column and position. */
export function placeCard(board: Board, card: Card): Board {
  const columns = without(board.columns, card.cardId).map((column) =>
    column.column === card.column
      ? { ...column, cards: [...column.cards, card].sort(byPosition), total: column.total + 1 }
      : column,
  );
  return { ...board, columns };
}

const mapCards = (board: Board, change: (card: Card) => Card): Board => ({
  ...board,
  columns: board.columns.map((column) => ({ ...column, cards: column.cards.map(change) })),
});

/** Undefined if the board must be refetched. */
export function applyToBoard(board: Board, change: WorkspaceChange): Board | undefined {
  switch (change.type) {
    case 'card.changed':
      return placeCard(board, change.card);
    case 'card.removed':
      return { ...board, columns: without(board.columns, change.cardId) };
    case 'session.changed': {
      const { session } = change;
      return mapCards(board, (card) =>
        card.kind === 'session' && card.session.sessionId === session.sessionId
          ? { ...card, session }
          : card,
      );
    }
    case 'settings.changed':
      return { ...board, workingLimit: change.settings.concurrency.maxWorking };
    case 'board.reordered':
      return undefined;
    default:
      return board;
  }
}

/** Updates the session in place. Only the server knows its place in a filtered list. */
export const applyToSessions = (
  sessions: readonly SessionSummary[],
  change: WorkspaceChange,
): readonly SessionSummary[] => {
  if (change.type === 'session.removed')
    return sessions.filter(({ sessionId }) => sessionId !== change.sessionId);
  if (change.type !== 'session.changed') return sessions;
  return sessions.map((session) =>
    session.sessionId === change.session.sessionId ? change.session : session,
  );
};

/** Places the card below `after`, or on top: an optimistic update until the server confirms it. */
export function moveOnBoard(
  board: Board,
  cardId: string,
  column: BoardColumn,
  after: string | null,
): Board {
  const card = board.columns.flatMap(({ cards }) => cards).find((one) => one.cardId === cardId);
  if (card === undefined) return board;
  const target = without(board.columns, cardId).find((one) => one.column === column)?.cards ?? [];
  const index = after === null ? 0 : target.findIndex((one) => one.cardId === after) + 1;
  const above = target[index - 1]?.position;
  const below = target[index]?.position;
  const position =
    above === undefined
      ? (below ?? 0) - 1
      : below === undefined
        ? above + 1
        : above + (below - above) / 2;
  return placeCard(board, { ...card, column, position });
}
