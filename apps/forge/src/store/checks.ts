import type { Database } from './database.ts';
import type { CheckRunRow, StatusRow } from './rows.ts';

export type NewCheckRun = Omit<CheckRunRow, 'id'>;

/** Commit statuses and check runs. */
export class Checks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  addStatus(repositoryId: number, status: Omit<StatusRow, 'id'>): StatusRow {
    const id = this.#db.insert('statuses', { repository_id: repositoryId, ...status });
    return { ...status, id };
  }

  /** Newest first. */
  statuses(repositoryId: number, sha: string): StatusRow[] {
    const sql = 'SELECT * FROM statuses WHERE repository_id = ? AND sha = ? ORDER BY id DESC';
    return this.#db.all<StatusRow>(sql, repositoryId, sha);
  }

  addRun(run: NewCheckRun): CheckRunRow {
    const id = this.#db.insert('check_runs', { ...run });
    return { ...run, id };
  }

  updateRun(id: number, patch: Partial<NewCheckRun>): void {
    this.#db.update('check_runs', 'id', id, patch);
  }

  runs(repositoryId: number, sha: string): CheckRunRow[] {
    const sql =
      'SELECT * FROM check_runs WHERE repository_id = ? AND head_sha = ? ORDER BY id DESC';
    return this.#db.all<CheckRunRow>(sql, repositoryId, sha);
  }

  run(repositoryId: number, id: number): CheckRunRow | undefined {
    const sql = 'SELECT * FROM check_runs WHERE repository_id = ? AND id = ?';
    return this.#db.get<CheckRunRow>(sql, repositoryId, id);
  }
}
