import { type CommandReceipt, type CommandResult, type RequestId, shipError } from '@ship/protocol';

export const REQUEST_LEDGER_TABLE = `CREATE TABLE requests (
  request_id TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq INTEGER NOT NULL
) STRICT`;

/** Remembers what was answered to which request, so that a client that never saw the answer can ask again. */
export class RequestLedger {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The earlier answer to the same request; a conflict when the id was used for another body. */
  find(requestId: RequestId, body: string): CommandResult | undefined {
    const [row] = this.#sql
      .exec<{ body: string; seq: number }>(
        'SELECT body, seq FROM requests WHERE request_id = ?',
        requestId,
      )
      .toArray();
    if (row === undefined) return undefined;
    if (row.body === body) return { kind: 'accepted', receipt: { requestId, seq: row.seq } };
    const message = `Request ${requestId} was made before with another content.`;
    return {
      kind: 'rejected',
      error: shipError('request-id-reused', message, 'Use a new request id for a new request.'),
    };
  }

  record({ requestId, seq }: CommandReceipt, body: string): void {
    this.#sql.exec('INSERT INTO requests VALUES (?, ?, ?)', requestId, body, seq);
  }
}
