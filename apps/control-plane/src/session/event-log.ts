import type {
  DurableEnvelope,
  DurableEvent,
  SessionEvent,
  SessionEventType,
  TurnId,
} from '@ship/protocol';

const MAX_OF_TURN = 500;

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

const MAX_PAGE_CHARS = 1_000_000;

/** An event with its seq, and its JSON text: serialized once, sent to many. */
export interface StoredEvent {
  event: DurableEvent;
  text: string;
  /** The JSON text of the data alone. */
  data: string;
}

/** The caller passes `newestSeq`: reading it from the table would double the cost of an append. */
export function numbered(
  events: readonly SessionEvent[],
  at: number,
  newestSeq: number,
): StoredEvent[] {
  return events.map((event, index) => {
    const seq = newestSeq + 1 + index;
    const { type, version } = event;
    const data = JSON.stringify(event.data);
    const text = envelopeText({ seq, at, type, version, data });
    return { event: { ...event, seq, at }, text, data };
  });
}

/** The append-only log of a session, numbered from 1 without gaps. */
export class EventLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  newestSeq(): number {
    return this.#sql.exec<{ seq: number }>('SELECT COALESCE(MAX(seq), 0) AS seq FROM events').one()
      .seq;
  }

  append({ event: { seq, at, type, version }, data }: StoredEvent): void {
    this.#sql.exec('INSERT INTO events VALUES (?, ?, ?, ?, ?)', seq, at, type, version, data);
  }

  /** At most `limit` events after `after`: a long log must never be in memory as a whole. */
  page(after: number, limit: number): DurableEnvelope[] {
    return this.#rows(after, limit).map((row) => ({
      ...row,
      data: JSON.parse(row.data) as unknown,
    }));
  }

  /** The events of a turn of the given types only: a turn can have thousands of events. */
  ofTurn(turnId: TurnId, types: readonly [SessionEventType, SessionEventType]): DurableEnvelope[] {
    return this.#sql
      .exec<Row>(
        `SELECT * FROM events WHERE type IN (?, ?) AND json_extract(data, '$.turnId') = ?
         ORDER BY seq LIMIT ?`,
        ...types,
        turnId,
        MAX_OF_TURN,
      )
      .toArray()
      .map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
  }

  /** A page as JSON texts. The stored data is text already: parsing and serializing it again would be most of the work. */
  texts(after: number, limit: number): { texts: string[]; upTo: number } {
    const rows = this.#rows(after, limit);
    return { texts: rows.map(envelopeText), upTo: rows.at(-1)?.seq ?? after };
  }

  /** The last `limit` events below `before`, in the order of the log. */
  textsBefore(before: number, limit: number): string[] {
    const newestFirst = this.#sql.exec<Row>(
      'SELECT * FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?',
      before,
      limit,
    );
    return bounded(newestFirst).toReversed().map(envelopeText);
  }

  #rows(after: number, limit: number): Row[] {
    return bounded(
      this.#sql.exec<Row>('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?', after, limit),
    );
  }
}

/**
 * A few hundred long prompts would not fit into a message, nor into a slow reader's buffer: a page then has fewer events, never
 * none.
 */
function bounded(rows: Iterable<Row>): Row[] {
  const page: Row[] = [];
  let chars = 0;
  for (const row of rows) {
    chars += row.data.length;
    if (chars > MAX_PAGE_CHARS && page.length > 0) break;
    page.push(row);
  }
  return page;
}

/** Event types are Ship's own and need no escaping. */
function envelopeText({ seq, at, type, version, data }: Row): string {
  return `{"seq":${seq},"at":${at},"type":"${type}","version":${version},"data":${data}}`;
}
