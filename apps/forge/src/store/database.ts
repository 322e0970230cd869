import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { ForgeFailure } from '../failure.ts';
import { migrations } from './schema.ts';

export type Value = SQLInputValue;

/**
 * SQLite in WAL mode: one transaction covers a change, its consequences and its webhooks, and committed data survives
 * kill -9 (and, with synchronous = FULL, a power cut).
 */
export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 5000 });
    this.#db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000',
    );
    this.#migrate();
  }

  #migrate(): void {
    const row = this.#db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (row.user_version > migrations.length)
      throw new ForgeFailure(
        'the forge’s state was written by a newer version',
        'Update Ship, or choose another folder with --root.',
      );
    for (const [index, step] of migrations.entries()) {
      if (index < row.user_version) continue;
      this.transaction(() => {
        this.#db.exec(step);
        this.#db.exec(`PRAGMA user_version = ${index + 1}`);
      });
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }

  /** The caller must make `Row` match the selected columns. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as for `all`
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  run(sql: string, ...values: Value[]): { id: number; changes: number } {
    const { lastInsertRowid, changes } = this.#prepare(sql).run(...values);
    return { id: Number(lastInsertRowid), changes: Number(changes) };
  }

  /** Not for untrusted column names: they are not escaped. */
  insert(table: string, row: Readonly<Record<string, Value>>): number {
    const names = Object.keys(row);
    const marks = names.map(() => '?').join(', ');
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`;
    return this.run(sql, ...Object.values(row)).id;
  }

  update(table: string, key: string, id: number, patch: Readonly<Record<string, Value>>): void {
    const names = Object.keys(patch).map((name) => `${name} = ?`);
    if (names.length === 0) return;
    this.run(
      `UPDATE ${table} SET ${names.join(', ')} WHERE ${key} = ?`,
      ...Object.values(patch),
      id,
    );
  }

  /** `work` is synchronous, so nothing can run in between; a nested call joins the outer transaction. */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.#db.exec('BEGIN IMMEDIATE');
    this.#depth += 1;
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}

/** A kernel lock, released even when the process is killed. Two forges on one root would lose writes. */
export function acquireRootLock(file: string, root: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    throw new ForgeFailure(
      `another forge is using the folder ${root}`,
      'Use that forge, stop it first, or choose another folder with --root.',
    );
  }
}
