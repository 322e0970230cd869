import type { Place } from '@ship/core';
import type { DraftId, RequestId, SessionId } from '@ship/protocol';

/** Never edited once released: new steps go to the end. */
export const RESERVE_TABLES = [
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

export class PlaceStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): Place[] {
    return this.#sql.exec<Row>('SELECT * FROM places ORDER BY since').toArray().map(toPlace);
  }

  find(sessionId: SessionId): Place | undefined {
    return this.all().find((place) => place.sessionId === sessionId);
  }

  ofDraft(draftId: DraftId): Place | undefined {
    return this.all().find((place) => place.draft?.draftId === draftId);
  }

  claimedBy(requestId: RequestId): SessionId | undefined {
    const [row] = this.#sql.exec<Row>('SELECT * FROM places WHERE claimed_by = ?', requestId);
    return row && toPlace(row).sessionId;
  }

  add({ sessionId, state, since, draft, model, provider }: Place): void {
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

  become(sessionId: SessionId, state: Place['state']): void {
    const now = Date.now();
    const change = 'UPDATE places SET state = ?, since = ? WHERE session_id = ?';
    this.#sql.exec(change, state, now, sessionId);
  }

  claim(sessionId: SessionId, requestId: RequestId): void {
    this.become(sessionId, 'claimed');
    this.#sql.exec('UPDATE places SET claimed_by = ? WHERE session_id = ?', requestId, sessionId);
  }

  release(sessionId: SessionId, state: 'making' | 'ready'): void {
    this.become(sessionId, state);
    this.#sql.exec('UPDATE places SET claimed_by = NULL WHERE session_id = ?', sessionId);
  }

  setDraft(sessionId: SessionId, draft: Place['draft']): void {
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

function toPlace(row: Row): Place {
  const { draft_id: draftId, draft_expires_at: expiresAt } = row;
  return {
    // Written by this class only, from values of these very types.
    sessionId: row.session_id as SessionId,
    state: row.state as Place['state'],
    since: row.since,
    draft:
      draftId === null || expiresAt === null ? null : { draftId: draftId as DraftId, expiresAt },
    model: row.model,
    provider: row.provider as Place['provider'],
  };
}
