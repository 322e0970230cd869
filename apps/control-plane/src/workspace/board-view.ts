import { type Board, BoardColumn, type Card, Draft, SessionSummary, fail } from '@ship/protocol';
import { asc, count, eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { cards, sessions } from './schema.ts';

export type CardRow = typeof cards.$inferSelect;

/** A column with thousands of finished cards must not become one answer: the rest is in the list of sessions. */
export const CARDS_PER_COLUMN = 200;

export function readBoard(db: Database): Pick<Board, 'columns'> {
  return {
    columns: BoardColumn.options.map((column) => ({
      column,
      cards: db
        .select({ card: cards, summary: sessions.summary })
        .from(cards)
        .leftJoin(sessions, eq(sessions.sessionId, cards.sessionId))
        .where(eq(cards.column, column))
        .orderBy(asc(cards.position))
        .limit(CARDS_PER_COLUMN)
        .all()
        .map(({ card, summary }) => cardOf(card, summary)),
      total:
        db.select({ total: count() }).from(cards).where(eq(cards.column, column)).get()?.total ?? 0,
    })),
  };
}

export function cardOf(row: CardRow, summary: SessionSummary | null): Card {
  const { cardId, column, position, createdAt, updatedAt, sessionId } = row;
  const place = { cardId, column, position, createdAt, updatedAt };
  if (summary !== null)
    return { ...place, kind: 'session', session: SessionSummary.parse(summary) };
  if (row.draft === null)
    return fail('internal', `Card ${cardId} has neither task nor session.`, 'Report this.');
  const draft = Draft.parse(row.draft);
  return sessionId === null
    ? { ...place, kind: 'draft', draft }
    : { ...place, kind: 'starting', draft, sessionId };
}
