import type { PooledSandbox } from '@ship/core';
import type { DraftId, RequestId, SessionId } from '@ship/protocol';

/** Never edit a released step: append new ones. */
export const POOL_TABLES = [
  `CREATE TABLE places (
    session_id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    since INTEGER NOT NULL,
    draft_id TEXT UNIQUE,
    draft_expires_at INTEGER,
    model TEXT NOT NULL,
    provider TEXT NOT NULL,
    claimed_by TEXT UNIQUE
  ) STRICT`,
  'CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT',
];

interface Row extends Record<string, SqlStorageValue> {
  session_id: string;
  state: string;
  since: number;
  draft_id: string | null;
  draft_expires_at: number | null;
  model: string;
  provider: string;
}

type Fact = 'last-demand-at' | 'quiet-until' | 'failures';

export class PoolStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): PooledSandbox[] {
    return this.#sql
      .exec<Row>('SELECT * FROM places ORDER BY since')
      .toArray()
      .map(toPooledSandbox);
  }

  find(sessionId: SessionId): PooledSandbox | undefined {
    return this.all().find((pooled) => pooled.sessionId === sessionId);
  }

  ofDraft(draftId: DraftId): PooledSandbox | undefined {
    return this.all().find((pooled) => pooled.draft?.draftId === draftId);
  }

  claimedBy(requestId: RequestId): SessionId | undefined {
    const [row] = this.#sql.exec<Row>('SELECT * FROM places WHERE claimed_by = ?', requestId);
    return row && toPooledSandbox(row).sessionId;
  }

  add({ sessionId, state, since, draft, model, provider }: PooledSandbox): void {
    this.#sql.exec(
      'INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, NULL)',
      sessionId,
      state,
      since,
      draft?.draftId ?? null,
      draft?.expiresAt ?? null,
      model,
      provider,
    );
  }

  setState(sessionId: SessionId, state: PooledSandbox['state']): void {
    const now = Date.now();
    const change = 'UPDATE places SET state = ?, since = ? WHERE session_id = ?';
    this.#sql.exec(change, state, now, sessionId);
  }

  claim(sessionId: SessionId, requestId: RequestId): void {
    this.setState(sessionId, 'claimed');
    this.#sql.exec('UPDATE places SET claimed_by = ? WHERE session_id = ?', requestId, sessionId);
  }

  release(sessionId: SessionId, state: 'making' | 'ready'): void {
    this.setState(sessionId, state);
    this.#sql.exec('UPDATE places SET claimed_by = NULL WHERE session_id = ?', sessionId);
  }

  setDraft(sessionId: SessionId, draft: PooledSandbox['draft']): void {
    this.#sql.exec(
      'UPDATE places SET draft_id = ?, draft_expires_at = ? WHERE session_id = ?',
      draft?.draftId ?? null,
      draft?.expiresAt ?? null,
      sessionId,
    );
  }

  remove(sessionId: SessionId): void {
    this.#sql.exec('DELETE FROM places WHERE session_id = ?', sessionId);
  }

  read(fact: Fact): number {
    const [row] = this.#sql.exec<{ value: number }>('SELECT value FROM facts WHERE name = ?', fact);
    return row?.value ?? 0;
  }

  write(fact: Fact, value: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)', fact, value);
  }
}

function toPooledSandbox(row: Row): PooledSandbox {
  const { draft_id: draftId, draft_expires_at: expiresAt } = row;
  return {
    // Only this class writes these rows, from values of these types.
    sessionId: row.session_id as SessionId,
    state: row.state as PooledSandbox['state'],
    since: row.since,
    draft:
      draftId === null || expiresAt === null ? null : { draftId: draftId as DraftId, expiresAt },
    model: row.model,
    provider: row.provider as PooledSandbox['provider'],
  };
}
