import { columnOf } from '@ship/core';
import {
  type Board as BoardState,
  type Card,
  type CardCreate,
  type CardEdit,
  type CardId,
  type CardMove,
  Draft,
  type SessionId,
  type SessionSummary,
  createId,
  fail,
} from '@ship/protocol';
import { and, count, eq, isNotNull } from 'drizzle-orm';
import { BoardOrder } from './board-order.ts';
import { type CardRow, cardOf, readBoard } from './board-view.ts';
import type { ChangeLog } from './change-log.ts';
import type { Database } from './database.ts';
import { cards, sessions } from './schema.ts';

/** The cards: tasks that are not started, and one card per session. */
export class Board {
  readonly #db: Database;
  readonly #changes: ChangeLog;
  readonly #order: BoardOrder;

  constructor(db: Database, changes: ChangeLog) {
    this.#db = db;
    this.#changes = changes;
    this.#order = new BoardOrder(db, changes);
  }

  read(workingLimit: number): BoardState {
    return {
      ...readBoard(this.#db),
      working: this.#working(),
      workingLimit,
      version: this.#changes.newest(),
    };
  }

  /** Idempotent by request id: a retry gets the same card; different content is a conflict. */
  create({ requestId, ...draft }: CardCreate): Card {
    const requestBody = JSON.stringify(draft);
    const earlier = this.#db.select().from(cards).where(eq(cards.requestId, requestId)).get();
    if (earlier !== undefined) {
      if (earlier.requestBody === requestBody) return this.#view(earlier);
      fail(
        'request-id-reused',
        `Request ${requestId} was made before with different content.`,
        'Use a new request id for a new card.',
      );
    }
    return this.#insert({ sessionId: null, draft, column: 'backlog', requestId, requestBody });
  }

  edit(cardId: CardId, edit: CardEdit): Card {
    const { draft } = this.#draftRow(cardId);
    const row = this.#update(cardId, { draft: Draft.parse({ ...draft, ...edit }) });
    return this.#publish(row);
  }

  remove(cardId: CardId): void {
    this.#draftRow(cardId);
    this.#delete(cardId);
  }

  move({ cardId, column, after }: CardMove): Card {
    const row = this.#row(cardId);
    if (row.sessionId === null && column !== 'backlog') {
      fail(
        'card-not-started',
        'A task without a session stays in the backlog.',
        'Start it: POST /api/sessions with this cardId. Its card then moves automatically.',
      );
    }
    const position = this.#order.positionBelow(column, after, cardId);
    return this.#publish(this.#update(cardId, { column, position }));
  }

  /** Links a task to its session, which the card then follows. Idempotent. */
  start(cardId: CardId, sessionId: SessionId): Card {
    const row = this.#row(cardId);
    if (row.sessionId === sessionId) return this.#view(row);
    if (row.sessionId !== null) {
      fail(
        'card-started',
        `Card ${cardId} already has a session.`,
        `Open session ${row.sessionId}.`,
      );
    }
    const position = this.#order.positionBelow('working', null, cardId);
    return this.#publish(
      this.#update(cardId, { sessionId, column: 'working', derivedColumn: 'working', position }),
    );
  }

  /** Moves the card with its session. A card that a person moved stays there until the derived column changes. */
  applySession(summary: SessionSummary): void {
    const { sessionId, createdAt: sessionAt } = summary;
    const column = columnOf(summary);
    const row = this.#db.select().from(cards).where(eq(cards.sessionId, sessionId)).get();
    if (row !== undefined && row.sessionAt !== sessionAt)
      this.#db.update(cards).set({ sessionAt }).where(eq(cards.cardId, row.cardId)).run();
    if (row === undefined) {
      this.#insert({ sessionId, sessionAt, draft: null, column, derivedColumn: column });
    } else if (row.derivedColumn !== column) {
      const position = this.#order.positionBelow(column, null, row.cardId);
      this.#publish(
        this.#update(row.cardId, { draft: null, column, derivedColumn: column, position }),
      );
    } else if (row.draft !== null) {
      this.#publish(this.#update(row.cardId, { draft: null }));
    }
  }

  dropSession(sessionId: SessionId): void {
    const row = this.#db.select().from(cards).where(eq(cards.sessionId, sessionId)).get();
    if (row !== undefined) this.#delete(row.cardId);
  }

  #working(): number {
    const row = this.#db
      .select({ working: count() })
      .from(cards)
      .where(and(isNotNull(cards.sessionId), eq(cards.derivedColumn, 'working')))
      .get();
    return row?.working ?? 0;
  }

  #insert(
    row: Pick<CardRow, 'sessionId' | 'draft' | 'column'> & Partial<typeof cards.$inferInsert>,
  ): Card {
    const now = Date.now();
    const cardId = createId('crd');
    const position = this.#order.positionBelow(row.column, null, cardId);
    const common = { cardId, position, createdAt: now, updatedAt: now };
    return this.#publish(
      this.#db
        .insert(cards)
        .values({ ...row, ...common })
        .returning()
        .get(),
    );
  }

  #update(cardId: CardId, set: Partial<CardRow>): CardRow {
    return this.#db
      .update(cards)
      .set({ ...set, updatedAt: Date.now() })
      .where(eq(cards.cardId, cardId))
      .returning()
      .get();
  }

  #delete(cardId: CardId): void {
    this.#db.delete(cards).where(eq(cards.cardId, cardId)).run();
    this.#changes.record({ type: 'card.removed', cardId });
  }

  #publish(row: CardRow): Card {
    const card = this.#view(row);
    this.#changes.record({ type: 'card.changed', card });
    return card;
  }

  #view(row: CardRow): Card {
    if (row.sessionId === null) return cardOf(row, null);
    const found = this.#db
      .select({ summary: sessions.summary })
      .from(sessions)
      .where(eq(sessions.sessionId, row.sessionId))
      .get();
    return cardOf(row, found?.summary ?? null);
  }

  #row(cardId: CardId): CardRow {
    return (
      this.#db.select().from(cards).where(eq(cards.cardId, cardId)).get() ??
      fail('not-found', `There is no card ${cardId}.`, 'Read the board again: GET /api/board.')
    );
  }

  #draftRow(cardId: CardId): CardRow {
    const row = this.#row(cardId);
    if (row.sessionId === null) return row;
    return fail(
      'card-started',
      `Card ${cardId} belongs to a session.`,
      `Change or delete session ${row.sessionId} instead.`,
    );
  }
}
