import { type Board, BoardColumn, type Card, Draft, SessionSummary, fail } from '@ship/protocol';
import { asc, eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { cards, sessions } from './schema.ts';
import { readCounters } from './stats.ts';

export type CardRow = typeof cards.$inferSelect;

/** Bounds the response for columns with thousands of cards; the list of sessions has the rest. */
export const CARDS_PER_COLUMN = 200;
/** Only the newest done cards: this column grows forever. */
export const DONE_CARDS = 50;

export function readBoard(db: Database): Pick<Board, 'columns'> {
  const totals = readCounters(db);
  return {
    columns: BoardColumn.options.map((column) => ({
      column,
      cards: db
        .select({ card: cards, summary: sessions.summary })
        .from(cards)
        .leftJoin(sessions, eq(sessions.sessionId, cards.sessionId))
        .where(eq(cards.column, column))
        .orderBy(asc(cards.position))
        .limit(column === 'done' ? DONE_CARDS : CARDS_PER_COLUMN)
        .all()
        .map(({ card, summary }) => cardOf(card, summary)),
      total: totals.get(`card:${column}`) ?? 0,
    })),
  };
}

export function cardOf(row: CardRow, summary: SessionSummary | null): Card {
  const { cardId, column, position, createdAt, updatedAt, sessionId } = row;
  const common = { cardId, column, position, createdAt, updatedAt };
  if (summary !== null)
    return { ...common, kind: 'session', session: SessionSummary.parse(summary) };
  if (row.draft === null)
    return fail('internal', `Card ${cardId} has neither task nor session.`, 'Report this.');
  const draft = Draft.parse(row.draft);
  return sessionId === null
    ? { ...common, kind: 'draft', draft }
    : { ...common, kind: 'starting', draft, sessionId };
}
