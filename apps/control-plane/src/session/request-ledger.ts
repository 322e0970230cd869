import {
  type CommandReceipt,
  type CommandResult,
  PromptId,
  type RequestId,
  shipError,
} from '@ship/protocol';

export const REQUEST_LEDGER_STEPS = [
  `CREATE TABLE requests (
  request_id TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq INTEGER NOT NULL
) STRICT`,
  'ALTER TABLE requests RENAME COLUMN body TO fingerprint; ALTER TABLE requests ADD COLUMN prompt_id TEXT',
];

/** A client repeats a request within minutes; a ledger that keeps all of them would outgrow the log. */
const KEPT_REQUESTS = 5_000;
const PRUNE_EVERY = 500;

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
  record({ requestId, seq, promptId }: CommandReceipt, fingerprint: string): void {
    const [added] = this.#sql
      .exec<{ row: number }>(
        `INSERT OR IGNORE INTO requests (request_id, fingerprint, seq, prompt_id) VALUES (?, ?, ?, ?)
         RETURNING rowid AS row`,
        requestId,
        fingerprint,
        seq,
        promptId,
      )
      .toArray();
    if (added === undefined) throw new Repeated(requestId);
    const { row } = added;
    // By the row's number and not by a counter in memory: an object that sleeps often would never prune.
    if (row % PRUNE_EVERY !== 0) return;
    this.#sql.exec('DELETE FROM requests WHERE rowid <= ?', row - KEPT_REQUESTS);
  }
}
