import {
  type CommandReceipt,
  type CommandResult,
  PromptId,
  type RequestId,
  shipError,
} from '@ship/protocol';
import type { StoredEvent } from './event-log.ts';

export const REQUEST_LEDGER_STEPS = [
  `CREATE TABLE requests (
  request_id TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq INTEGER NOT NULL
) STRICT`,
  'ALTER TABLE requests RENAME COLUMN body TO fingerprint; ALTER TABLE requests ADD COLUMN prompt_id TEXT',
];

/**
 * - Prunes old requests: clients repeat a request within minutes, and a ledger of all of them would outgrow the log. Prunes by
 *   row id and not by a counter in memory: an object that hibernates often would never prune.
 * - Stores an event and the receipt of its request, as nearly every command leaves them, in one atomic statement, at
 *   half the cost of two statements within a savepoint.
 */
export const ANSWERED_EVENTS_STEP = `
CREATE TRIGGER requests_pruned AFTER INSERT ON requests WHEN NEW.rowid % 500 = 0 BEGIN
  DELETE FROM requests WHERE rowid <= NEW.rowid - 5000;
END;
CREATE VIEW answered_events AS
  SELECT events.*, request_id, fingerprint, prompt_id FROM events JOIN requests USING (seq);
CREATE TRIGGER answered_events_stored INSTEAD OF INSERT ON answered_events BEGIN
  INSERT INTO requests (request_id, fingerprint, seq, prompt_id)
    VALUES (NEW.request_id, NEW.fingerprint, NEW.seq, NEW.prompt_id);
  INSERT INTO events VALUES (NEW.seq, NEW.at, NEW.type, NEW.version, NEW.data);
END`;

/** A receipt with the fingerprint of its request. */
export interface LedgerEntry extends CommandReceipt {
  fingerprint: string;
}

/** A request of this id was already answered. */
export class Repeated extends Error {
  override readonly name = 'Repeated';
}

/** Idempotency keys: remembers which request got which receipt, so that a client that never saw the answer can ask again. */
export class RequestLedger {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The earlier answer to the same request; a conflict when the id was used for another one. */
  find(requestId: RequestId, fingerprint: string): CommandResult | undefined {
    const [row] = this.#sql
      .exec<{ fingerprint: string; seq: number; prompt_id: string | null }>(
        'SELECT fingerprint, seq, prompt_id FROM requests WHERE request_id = ?',
        requestId,
      )
      .toArray();
    if (row === undefined) return undefined;
    if (row.fingerprint === fingerprint) {
      const promptId = row.prompt_id === null ? null : PromptId.parse(row.prompt_id);
      return { kind: 'accepted', receipt: { requestId, seq: row.seq, promptId } };
    }
    const message = `Request ${requestId} was already used with different content.`;
    return {
      kind: 'rejected',
      error: shipError('request-id-reused', message, 'Use a new request id for a new request.'),
    };
  }

  /** Throws `Repeated` when a request of this id was already answered: the caller must roll back its work for it. */
  record({ requestId, fingerprint, seq, promptId }: LedgerEntry): void {
    this.#once(
      requestId,
      'INSERT INTO requests (request_id, fingerprint, seq, prompt_id) VALUES (?, ?, ?, ?)',
      [requestId, fingerprint, seq, promptId],
    );
  }

  /** The same, together with the one event that the request led to: both are stored, or neither. */
  recordWith(
    { event: { seq, at, type, version }, data }: StoredEvent,
    { requestId, fingerprint, promptId }: LedgerEntry,
  ): void {
    this.#once(
      requestId,
      `INSERT INTO answered_events (seq, at, type, version, data, request_id, fingerprint, prompt_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [seq, at, type, version, data, requestId, fingerprint, promptId],
    );
  }

  /** Inserts without looking up first, because repetitions are rare: the primary key refuses a second use of the id. */
  #once(requestId: RequestId, statement: string, values: SqlStorageValue[]): void {
    try {
      this.#sql.exec(statement, ...values);
    } catch (thrown) {
      throw this.#has(requestId) ? new Repeated(requestId) : thrown;
    }
  }

  #has(requestId: RequestId): boolean {
    const found = this.#sql.exec('SELECT 1 FROM requests WHERE request_id = ?', requestId);
    return found.toArray().length > 0;
  }
}
