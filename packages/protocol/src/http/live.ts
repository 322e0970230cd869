import * as z from 'zod';
import { CardId, RepositoryId, SessionId, WorkspaceId } from '../ids.ts';
import { Card } from './board.ts';
import { Repository } from './repository.ts';
import { SessionSummary } from './session-summary.ts';
import { Settings } from './settings.ts';

/** A change in the workspace. Each contains the new state, so that applying it is idempotent. */
export const WorkspaceChange = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.changed'), session: SessionSummary }),
  z.object({ type: z.literal('session.removed'), sessionId: SessionId }),
  z.object({ type: z.literal('card.changed'), card: Card }),
  z.object({ type: z.literal('card.removed'), cardId: CardId }),
  /** Many cards got new positions at once: reload the board. */
  z.object({ type: z.literal('board.reordered') }),
  z.object({ type: z.literal('repository.changed'), repository: Repository }),
  z.object({ type: z.literal('repository.removed'), repositoryId: RepositoryId }),
  z.object({ type: z.literal('settings.changed'), settings: Settings }),
]);
export type WorkspaceChange = z.infer<typeof WorkspaceChange>;

export const NumberedChange = z.object({ version: z.int().min(1), change: WorkspaceChange });
export type NumberedChange = z.infer<typeof NumberedChange>;

/** `GET /api/live?after=VERSION`, a WebSocket. Without `after` it starts with the next change. */
export const LiveQuery = z.strictObject({
  after: z.coerce.number().int().nonnegative().optional(),
});
export type LiveQuery = z.infer<typeof LiveQuery>;

/**
 * The server first sends `hello`. A client that reconnects then gets the missed `changes`, or `reset` when they are no longer
 * kept: then it reloads lists and board. Versions have no gaps; a client that sees one reconnects.
 */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocolVersion: z.int().min(1),
    /** When it differs from before, the client's version is meaningless, and it reloads everything. */
    workspaceId: WorkspaceId,
    version: z.int().nonnegative(),
  }),
  z.object({ type: z.literal('changes'), changes: z.array(NumberedChange).min(1) }),
  z.object({ type: z.literal('reset'), version: z.int().nonnegative() }),
]);
export type LiveMessage = z.infer<typeof LiveMessage>;
