/** Values that the object must remember but that are no events of the session. One row per value. */
export const RUNTIME_METADATA_TABLE = `CREATE TABLE vitals (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT`;

type MetadataKey =
  /** When a user last viewed the session. */
  | 'last-viewed-at'
  /** When the sandbox was last checked. */
  | 'last-checked-at'
  /** Since when the sandbox service may evict the idle sandbox from memory; 0 when it may not. */
  | 'evictable-since'
  /** When the forge was last checked for changes by others. */
  | 'forge-observed-at'
  /** How often Ship tried to delete the closed session's refs at the forge, and when last. */
  | 'forge-tidy-attempts'
  | 'forge-tidy-tried-at'
  /** Consecutive failures of the service, and the end of its backoff. */
  | 'service-failures'
  | 'service-quiet-until'
  /** The workspace counts this session as working. */
  | 'holds-slot'
  /** The service that was last asked for a sandbox. */
  | 'provider'
  /** A fingerprint of the egress allow-list that the sandbox last got. */
  | 'egress-told'
  /** The session is being deleted: everything outside first, the log last. */
  | 'deleting'
  /** Bytes of all pushes, counted before they pass. */
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
