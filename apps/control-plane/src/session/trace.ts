import type { TraceSpan } from '@ship/protocol';

export const TRACE_TABLE = `CREATE TABLE trace (
  span_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms REAL NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT
) STRICT`;

const KEPT_SPANS = 500;

interface Row extends Record<string, SqlStorageValue> {
  span_id: number;
  name: string;
  started_at: number;
  duration_ms: number;
  outcome: string;
  detail: string | null;
}

/** The newest timed spans of the session's own work. */
export class Trace {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Times `work`. The detail of a failure is its code, never its message, which may contain secrets. */
  async span<Value>(
    name: string,
    work: () => Promise<Value>,
    codeOf: (thrown: unknown) => string,
  ): Promise<Value> {
    const startedAt = Date.now();
    try {
      const value = await work();
      this.record({ name, startedAt, outcome: 'ok', detail: null });
      return value;
    } catch (thrown) {
      this.record({ name, startedAt, outcome: 'failed', detail: codeOf(thrown) });
      throw thrown;
    }
  }

  record({ name, startedAt, outcome, detail }: Omit<TraceSpan, 'spanId' | 'durationMs'>): void {
    this.#sql.exec(
      'INSERT INTO trace (name, started_at, duration_ms, outcome, detail) VALUES (?, ?, ?, ?, ?)',
      name,
      startedAt,
      Math.max(0, Date.now() - startedAt),
      outcome,
      detail,
    );
    this.#sql.exec(
      'DELETE FROM trace WHERE span_id <= (SELECT MAX(span_id) FROM trace) - ?',
      KEPT_SPANS,
    );
  }

  read(): TraceSpan[] {
    return this.#sql
      .exec<Row>('SELECT * FROM trace ORDER BY span_id')
      .toArray()
      .map((row) => ({
        spanId: row.span_id,
        name: row.name,
        startedAt: row.started_at,
        durationMs: row.duration_ms,
        outcome: row.outcome === 'ok' ? 'ok' : 'failed',
        detail: row.detail,
      }));
  }
}
