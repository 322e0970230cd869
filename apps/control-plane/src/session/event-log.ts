import type { DurableEnvelope, SessionEvent } from '@ship/protocol';

interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  at: number;
  type: string;
  version: number;
  data: string;
}

export const EVENT_LOG_TABLE = `CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT`;

/** The session's memory: rows are only ever added, numbered without gaps from 1. */
export class EventLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  newestSeq(): number {
    return this.#sql.exec<{ seq: number }>('SELECT COALESCE(MAX(seq), 0) AS seq FROM events').one()
      .seq;
  }

  append(events: readonly SessionEvent[], at: number): DurableEnvelope[] {
    let seq = this.newestSeq();
    return events.map(({ type, version, data }) => {
      seq += 1;
      this.#sql.exec(
        'INSERT INTO events VALUES (?, ?, ?, ?, ?)',
        seq,
        at,
        type,
        version,
        JSON.stringify(data),
      );
      return { seq, at, type, version, data };
    });
  }

  /** At most `limit` events after `after`: a long log is never in memory as a whole. */
  page(after: number, limit: number): DurableEnvelope[] {
    return this.#sql
      .exec<Row>('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?', after, limit)
      .toArray()
      .map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
  }

  /** The same as JSON text. Its data is text already: decoding and encoding it again would be most of the work. */
  pageText(after: number, limit: number): string {
    const rows = this.#sql.exec<Row>(
      'SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
      after,
      limit,
    );
    const texts = [...rows].map(
      ({ seq, at, type, version, data }) =>
        `{"seq":${seq},"at":${at},"type":${JSON.stringify(type)},"version":${version},"data":${data}}`,
    );
    return `[${texts.join(',')}]`;
  }
}
