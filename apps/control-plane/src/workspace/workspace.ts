import { DurableObject } from 'cloudflare:workers';
import { migrate } from '../platform/migrate.ts';
import { type WorkspaceIdentity, readOrCreateIdentity } from './identity.ts';

const MIGRATIONS = [
  `CREATE TABLE identity (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     workspace_id TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT`,
];

/** One per team: the index of its sessions, its board, repositories and settings. Token streams never pass here. */
export class Workspace extends DurableObject<unknown> {
  readonly #awakeSince = Date.now();

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    migrate(ctx.storage, MIGRATIONS);
  }

  identity(): WorkspaceIdentity {
    return readOrCreateIdentity(this.ctx.storage.sql, this.#awakeSince);
  }
}
