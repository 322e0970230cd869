import type { Database } from './database.ts';

/** Branches and tags as of the last sync. The difference to git's current refs is what changed since. */
export class KnownRefs {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  of(repositoryId: number): Map<string, string> {
    const sql = 'SELECT name, sha FROM refs WHERE repository_id = ?';
    const rows = this.#db.all<{ name: string; sha: string }>(sql, repositoryId);
    return new Map(rows.map((row) => [row.name, row.sha]));
  }

  set(repositoryId: number, name: string, sha: string): void {
    this.#db.run(
      `INSERT INTO refs (repository_id, name, sha) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET sha = excluded.sha`,
      repositoryId,
      name,
      sha,
    );
  }

  remove(repositoryId: number, name: string): void {
    this.#db.run('DELETE FROM refs WHERE repository_id = ? AND name = ?', repositoryId, name);
  }
}
