import type { Database, Value } from './database.ts';
import type { CheckRunRow, StatusRow } from './rows.ts';

export type NewCheckRun = Omit<CheckRunRow, 'id'>;

/** Commit statuses and check runs. */
export class Checks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  addStatus(repositoryId: number, status: Omit<StatusRow, 'id'>): StatusRow {
    const { sha, state, context, description, target_url, user_id, created_at } = status;
    const { id } = this.#db.run(
      `INSERT INTO statuses (repository_id, sha, state, context, description, target_url, user_id, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[repositoryId, sha, state, context, description, target_url, user_id, created_at],
    );
    return { ...status, id };
  }

  /** Newest first. */
  statuses(repositoryId: number, sha: string): StatusRow[] {
    const sql = 'SELECT * FROM statuses WHERE repository_id = ? AND sha = ? ORDER BY id DESC';
    return this.#db.all<StatusRow>(sql, repositoryId, sha);
  }

  addRun(run: NewCheckRun): CheckRunRow {
    const names = Object.keys(run);
    const sql = `INSERT INTO check_runs (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    const { id } = this.#db.run(sql, ...Object.values(run));
    return { ...run, id };
  }

  updateRun(id: number, patch: Partial<NewCheckRun>): void {
    const names = Object.keys(patch).map((name) => `${name} = ?`);
    if (names.length === 0) return;
    const values = Object.values(patch) as Value[];
    this.#db.run(`UPDATE check_runs SET ${names.join(', ')} WHERE id = ?`, ...values, id);
  }

  runs(repositoryId: number, sha: string): CheckRunRow[] {
    const sql = 'SELECT * FROM check_runs WHERE repository_id = ? AND head_sha = ? ORDER BY id DESC';
    return this.#db.all<CheckRunRow>(sql, repositoryId, sha);
  }

  run(repositoryId: number, id: number): CheckRunRow | undefined {
    const sql = 'SELECT * FROM check_runs WHERE repository_id = ? AND id = ?';
    return this.#db.get<CheckRunRow>(sql, repositoryId, id);
  }
}
