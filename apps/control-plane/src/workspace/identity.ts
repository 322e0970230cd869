import { type WorkspaceId, createId, WorkspaceId as WorkspaceIdSchema } from '@ship/protocol';

export interface WorkspaceIdentity {
  workspaceId: WorkspaceId;
  createdAt: number;
  /** When the object that answered was brought into memory. */
  awakeSince: number;
}

/** The workspace's id and birth, made once and kept: a data folder that was swapped or lost shows at once. */
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
