import * as z from 'zod';
import { CardId, RepositoryId, SessionId, WorkspaceId } from '../ids.ts';
import { Card } from './board.ts';
import { Repository } from './repository.ts';
import { SessionSummary } from './session-summary.ts';
import { Settings } from './settings.ts';

/** What changed in the workspace. Each carries the new state, so that applying one twice does no harm. */
export const WorkspaceChange = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.changed'), session: SessionSummary }),
  z.object({ type: z.literal('session.removed'), sessionId: SessionId }),
  z.object({ type: z.literal('card.changed'), card: Card }),
  z.object({ type: z.literal('card.removed'), cardId: CardId }),
  /** Many cards got new positions at once: read the board again. */
  z.object({ type: z.literal('board.reordered') }),
  z.object({ type: z.literal('repository.changed'), repository: Repository }),
  z.object({ type: z.literal('repository.removed'), repositoryId: RepositoryId }),
  z.object({ type: z.literal('settings.changed'), settings: Settings }),
]);
export type WorkspaceChange = z.infer<typeof WorkspaceChange>;

export const NumberedChange = z.object({ version: z.int().min(1), change: WorkspaceChange });
export type NumberedChange = z.infer<typeof NumberedChange>;

/** `GET /api/live?after=VERSION`, a WebSocket. Without `after` it starts with what happens next. */
export const LiveQuery = z.strictObject({
  after: z.coerce.number().int().nonnegative().optional(),
});
export type LiveQuery = z.infer<typeof LiveQuery>;

/**
 * First `hello`. A client that was away then gets what it missed as `changes`, or `reset` when that is no longer kept:
 * it reads lists and board again. Versions have no gaps; a client that sees one reconnects.
 */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocolVersion: z.int().min(1),
    /** Another one than before: its versions mean nothing here, so everything is read again. */
    workspaceId: WorkspaceId,
    version: z.int().nonnegative(),
  }),
  z.object({ type: z.literal('changes'), changes: z.array(NumberedChange).min(1) }),
  z.object({ type: z.literal('reset'), version: z.int().nonnegative() }),
]);
export type LiveMessage = z.infer<typeof LiveMessage>;
