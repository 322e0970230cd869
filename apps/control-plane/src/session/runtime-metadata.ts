/** What the object must remember that is no event, because nothing happened to the session. One row, one column each. */
export const RUNTIME_METADATA_TABLE = `CREATE TABLE vitals (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT`;

type MetadataKey =
  /** When somebody last looked at the session. */
  | 'last-viewed-at'
  /** When the sandbox was last looked at. */
  | 'last-checked-at'
  /** When the sandbox service was allowed to take the memory of the idle sandbox; 0 when it is not. */
  | 'evictable-since'
  /** When the forge was last asked what others did. */
  | 'forge-observed-at'
  /** How often the refs of the closed session were tried to be deleted at the forge, and when last. */
  | 'forge-tidy-attempts'
  | 'forge-tidy-tried-at'
  /** The service failed this often in a row, and is left alone until then. */
  | 'service-failures'
  | 'service-quiet-until'
  /** The workspace counts this session among those at work. */
  | 'holds-slot'
  /** The service that was last asked for a sandbox. */
  | 'provider'
  /** Which hosts the sandbox was last told that it may reach. */
  | 'egress-told'
  /** The session is being deleted: what is left of it outside goes first, its log last. */
  | 'deleting'
  /** Bytes of all pushes, taken before they pass. */
  | 'pushed-bytes';

export class RuntimeMetadata {
  readonly #sql: SqlStorage;
  readonly #values = new Map<MetadataKey, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const { name, value } of sql.exec<{ name: string; value: number }>('SELECT * FROM vitals'))
      this.#values.set(name as MetadataKey, value);
  }

  read(key: MetadataKey): number {
    return this.#values.get(key) ?? 0;
  }

  write(key: MetadataKey, value: number): void {
    if (this.read(key) === value) return;
    this.#values.set(key, value);
    this.#sql.exec('INSERT OR REPLACE INTO vitals (name, value) VALUES (?, ?)', key, value);
  }

  forget(): void {
    this.#values.clear();
  }
}
