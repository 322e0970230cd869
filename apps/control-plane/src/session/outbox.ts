export const OUTBOX_TABLE = `CREATE TABLE outbox (
  key TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  revision INTEGER NOT NULL,
  payload TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL
) STRICT`;

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 60_000;

export interface OutboxMessage {
  key: string;
  kind: string;
  revision: number;
  payload: unknown;
}

interface Row extends Record<string, SqlStorageValue> {
  key: string;
  kind: string;
  revision: number;
  payload: string;
}

/**
 * Messages for other objects. A message is written in the transaction that makes it true, sent afterwards and removed once it
 * is delivered. A crash in between sends it again; the key lets the receiver drop the duplicate.
 */
export class Outbox {
  readonly #sql: SqlStorage;
  /** Read after every command and nearly always null; undefined: the table has to be read. */
  #nextAt: number | null | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** A newer message under the same key replaces one that was not sent yet. */
  put(key: string, kind: string, payload: unknown, nowMs: number): void {
    this.forget();
    this.#sql.exec(
      `INSERT INTO outbox (key, kind, revision, payload, attempts, next_at) VALUES (?, ?, 1, ?, 0, ?)
       ON CONFLICT (key) DO UPDATE SET payload = excluded.payload, revision = revision + 1`,
      key,
      kind,
      JSON.stringify(payload),
      nowMs,
    );
  }

  due(nowMs: number): OutboxMessage[] {
    const nextAt = this.nextAt();
    if (nextAt === null || nextAt > nowMs) return [];
    return this.#sql
      .exec<Row>('SELECT * FROM outbox WHERE next_at <= ? ORDER BY next_at LIMIT 50', nowMs)
      .toArray()
      .map(({ key, kind, revision, payload }) => ({
        key,
        kind,
        revision,
        payload: JSON.parse(payload) as unknown,
      }));
  }

  nextAt(): number | null {
    if (this.#nextAt === undefined) {
      const found = this.#sql.exec<{ at: number | null }>('SELECT MIN(next_at) AS at FROM outbox');
      this.#nextAt = found.one().at;
    }
    return this.#nextAt;
  }

  /** A message that was replaced while it was sent stays: the newer revision must be sent too. */
  delivered({ key, revision }: OutboxMessage): void {
    this.forget();
    this.#sql.exec('DELETE FROM outbox WHERE key = ? AND revision = ?', key, revision);
  }

  /** Retries with backoff for as long as it takes: the message is true and must arrive. */
  failed({ key }: OutboxMessage, nowMs: number): void {
    this.forget();
    this.#sql.exec(
      `UPDATE outbox SET next_at = ? + MIN(?, ? * (1 << MIN(attempts, 10))), attempts = attempts + 1
       WHERE key = ?`,
      nowMs,
      MAX_DELAY_MS,
      FIRST_DELAY_MS,
      key,
    );
  }

  /** Invalidates the cached time before the table changes. */
  forget(): void {
    this.#nextAt = undefined;
  }
}
