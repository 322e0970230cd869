import { SessionState } from '@ship/protocol';

export const SNAPSHOT_TABLE = `CREATE TABLE snapshot (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  state TEXT NOT NULL
) STRICT`;

const SNAPSHOT_EVERY = 200;

/** The folded state, so that waking an object does not fold its whole log again. Only a cache: the log is authoritative. */
export class Snapshot {
  readonly #sql: SqlStorage;
  #savedSeq: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#savedSeq = 0;
  }

  /** Undefined when there is none, or when an older version of the state wrote it: then the whole log is folded again. */
  read(): SessionState | undefined {
    const [row] = this.#sql.exec<{ state: string }>('SELECT state FROM snapshot').toArray();
    if (row === undefined) return undefined;
    const parsed = SessionState.strict().safeParse(JSON.parse(row.state));
    if (!parsed.success) return undefined;
    this.#savedSeq = parsed.data.seq;
    return parsed.data;
  }

  isDue({ seq }: SessionState): boolean {
    return seq - this.#savedSeq >= SNAPSHOT_EVERY;
  }

  /** Called within the transaction of the events; `saved` is called after its commit. */
  write(state: SessionState): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO snapshot (one, seq, state) VALUES (1, ?, ?)',
      state.seq,
      JSON.stringify(state),
    );
  }

  saved({ seq }: SessionState): void {
    this.#savedSeq = seq;
  }

  forget(): void {
    this.#savedSeq = 0;
  }
}
