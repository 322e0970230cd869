import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';
import { CardId, RequestId, SessionId } from '../ids.ts';
import { BoardColumn } from './board-column.ts';
import { SessionSummary } from './session-summary.ts';
import { BranchName, RepositoryLocation, line } from './text.ts';

export { BoardColumn } from './board-column.ts';

/** A task that is not started yet, with everything that a session needs. */
export const Draft = z.strictObject({
  title: line(200),
  text: z.string().trim().max(100_000).default(''),
  repository: RepositoryLocation.nullable().default(null),
  base: BranchName.nullable().default(null),
  model: ModelRef.nullable().default(null),
});
export type Draft = z.infer<typeof Draft>;

const cardFields = {
  cardId: CardId,
  column: BoardColumn,
  /** Cards of a column are sorted by it. */
  position: z.number(),
  createdAt: z.int().nonnegative(),
  updatedAt: z.int().nonnegative(),
};

/** `starting`: linked to a session that has not sent its summary yet. */
export const Card = z.discriminatedUnion('kind', [
  z.object({ ...cardFields, kind: z.literal('draft'), draft: Draft }),
  z.object({ ...cardFields, kind: z.literal('starting'), draft: Draft, sessionId: SessionId }),
  z.object({ ...cardFields, kind: z.literal('session'), session: SessionSummary }),
]);
export type Card = z.infer<typeof Card>;

/** `GET /api/board`. A column contains its first cards; `total` is the number of all its cards. */
export const Board = z.object({
  columns: z.array(
    z.object({ column: BoardColumn, cards: z.array(Card), total: z.int().nonnegative() }),
  ),
  working: z.int().nonnegative(),
  workingLimit: z.int().min(1),
  /** Version of the live list: subscribe after it to miss nothing. */
  version: z.int().nonnegative(),
});
export type Board = z.infer<typeof Board>;

/** `POST /api/board/cards` */
export const CardCreate = Draft.extend({ requestId: RequestId });
export type CardCreate = z.infer<typeof CardCreate>;

/** `PATCH /api/board/cards/:cardId` */
export const CardEdit = z.strictObject({
  title: line(200).optional(),
  text: z.string().trim().max(100_000).optional(),
  repository: RepositoryLocation.nullable().optional(),
  base: BranchName.nullable().optional(),
  model: ModelRef.nullable().optional(),
});
export type CardEdit = z.infer<typeof CardEdit>;

/** `PATCH /api/board`: moves a card directly below another of that column; null moves it to the top. */
export const CardMove = z.strictObject({
  cardId: CardId,
  column: BoardColumn,
  after: CardId.nullable(),
});
export type CardMove = z.infer<typeof CardMove>;
