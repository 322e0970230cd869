import { type WorkspaceId, createId, WorkspaceId as WorkspaceIdSchema } from '@ship/protocol';

export interface WorkspaceIdentity {
  workspaceId: WorkspaceId;
  createdAt: number;
  /** When this instance of the Durable Object was loaded. */
  awakeSince: number;
}

/** The workspace's id and creation time, created once: they reveal a swapped or lost data folder. */
export function readOrCreateIdentity(sql: SqlStorage, awakeSince: number): WorkspaceIdentity {
  sql.exec(
    'INSERT OR IGNORE INTO identity (one, workspace_id, created_at) VALUES (1, ?, ?)',
    createId('wsp'),
    Date.now(),
  );
  const row = sql
    .exec<{ workspace_id: string; created_at: number }>(
      'SELECT workspace_id, created_at FROM identity',
    )
    .one();
  return {
    workspaceId: WorkspaceIdSchema.parse(row.workspace_id),
    createdAt: row.created_at,
    awakeSince,
  };
}
