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
 * - A client repeats a request within minutes; a ledger that keeps all of them would outgrow the log. By the row's number
 *   and not by a counter in memory: an object that sleeps often would never prune.
 * - An event and the receipt of the request that it answers, as nearly every command leaves them, in one statement. That is
 *   all or nothing by itself, and costs half of two statements with a savepoint around them.
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

/** What was answered, and to what. */
export interface LedgerEntry extends CommandReceipt {
  fingerprint: string;
}

/** The request of this id has its answer. */
export class Repeated extends Error {
  override readonly name = 'Repeated';
}

/** Remembers what was answered to which request, so that a client that never saw the answer can ask again. */
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
    const message = `Request ${requestId} was made before with another content.`;
    return {
      kind: 'rejected',
      error: shipError('request-id-reused', message, 'Use a new request id for a new request.'),
    };
  }

  /** Throws `Repeated` when there is an answer to a request of this id already: whoever works for it again must undo that. */
  record({ requestId, fingerprint, seq, promptId }: LedgerEntry): void {
    this.#once(
      requestId,
      'INSERT INTO requests (request_id, fingerprint, seq, prompt_id) VALUES (?, ?, ?, ?)',
      [requestId, fingerprint, seq, promptId],
    );
  }

  /** The same, together with the one event that the request led to: both are stored, or none. */
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

  /** Hardly any request is a repetition, so it is not looked up first: the table refuses to take its id a second time. */
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
