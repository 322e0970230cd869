import { positionBetween, spreadPositions } from '@ship/core';
import { type BoardColumn, type CardId, fail } from '@ship/protocol';
import { and, asc, eq, gt, ne } from 'drizzle-orm';
import type { ChangeLog } from './change-log.ts';
import type { Database } from './database.ts';
import { cards } from './schema.ts';

/** Computes positions of cards in a column. */
export class BoardOrder {
  readonly #db: Database;
  readonly #changes: ChangeLog;

  constructor(db: Database, changes: ChangeLog) {
    this.#db = db;
    this.#changes = changes;
  }

  /** A position right below the card `after`, or on top. Ignores the moving card itself. */
  positionBelow(column: BoardColumn, after: CardId | null, moving: CardId): number {
    const position = this.#between(column, after, moving);
    if (position !== undefined) return position;
    this.#rebalance(column);
    return (
      this.#between(column, after, moving) ??
      fail('internal', 'There is no room in the column.', 'Report this.')
    );
  }

  #between(column: BoardColumn, after: CardId | null, moving: CardId): number | undefined {
    const above = after === null ? null : this.#positionOf(column, after);
    const next = this.#db
      .select({ position: cards.position })
      .from(cards)
      .where(
        and(
          eq(cards.column, column),
          ne(cards.cardId, moving),
          above === null ? undefined : gt(cards.position, above),
        ),
      )
      .orderBy(asc(cards.position))
      .limit(1)
      .get();
    return positionBetween(above, next?.position ?? null);
  }

  #positionOf(column: BoardColumn, cardId: CardId): number {
    const row = this.#db
      .select({ position: cards.position })
      .from(cards)
      .where(and(eq(cards.cardId, cardId), eq(cards.column, column)))
      .get();
    return (
      row?.position ??
      fail(
        'not-found',
        `There is no card ${cardId} in column ${column}.`,
        'It was moved. Read the board again: GET /api/board.',
      )
    );
  }

  #rebalance(column: BoardColumn): void {
    const rows = this.#db
      .select({ cardId: cards.cardId })
      .from(cards)
      .where(eq(cards.column, column))
      .orderBy(asc(cards.position))
      .all();
    for (const [index, position] of spreadPositions(rows.length).entries()) {
      const cardId = rows[index]?.cardId;
      if (cardId !== undefined)
        this.#db.update(cards).set({ position }).where(eq(cards.cardId, cardId)).run();
    }
    this.#changes.record({ type: 'board.reordered' });
  }
}
