import type { Database } from './database.ts';
import type { RepositoryRow } from './rows.ts';

export type NewRepository = Pick<
  RepositoryRow,
  'owner' | 'name' | 'kind' | 'git_dir' | 'folder' | 'default_branch' | 'description'
>;

export type RepositoryPatch = Partial<
  Pick<
    RepositoryRow,
    'default_branch' | 'description' | 'archived' | 'delete_branch_on_merge' | 'pushed_at'
  >
>;

export class Repositories {
  readonly #db: Database;
  readonly #now: () => Date;

  constructor(db: Database, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  add(repository: NewRepository): RepositoryRow {
    const now = this.#now().toISOString();
    const times = { created_at: now, updated_at: now, pushed_at: now };
    const id = this.#db.insert('repositories', { ...repository, ...times });
    return this.byId(id);
  }

  byId(id: number): RepositoryRow {
    const row = this.#db.get<RepositoryRow>('SELECT * FROM repositories WHERE id = ?', id);
    if (row === undefined) throw new Error(`no repository ${id}`);
    return row;
  }

  find(owner: string, name: string): RepositoryRow | undefined {
    const sql = 'SELECT * FROM repositories WHERE owner = ? AND name = ?';
    return this.#db.get<RepositoryRow>(sql, owner, name);
  }

  byGitDir(gitDir: string): RepositoryRow | undefined {
    return this.#db.get<RepositoryRow>('SELECT * FROM repositories WHERE git_dir = ?', gitDir);
  }

  /** The repository that had this name before a rename. Call `find` first: a current owner of the name has priority. */
  findByFormerName(owner: string, name: string): RepositoryRow | undefined {
    const sql =
      'SELECT r.* FROM former_names f JOIN repositories r ON r.id = f.repository_id WHERE f.owner = ? AND f.name = ?';
    return this.#db.get<RepositoryRow>(sql, owner, name);
  }

  rename(row: RepositoryRow, name: string): RepositoryRow {
    return this.#db.transaction(() => {
      this.#db.run('DELETE FROM former_names WHERE owner = ? AND name = ?', row.owner, name);
      const sql =
        'INSERT OR REPLACE INTO former_names (owner, name, repository_id) VALUES (?, ?, ?)';
      this.#db.run(sql, row.owner, row.name, row.id);
      const fields = { name, updated_at: this.#now().toISOString() };
      this.#db.update('repositories', 'id', row.id, fields);
      return this.byId(row.id);
    });
  }

  list(): RepositoryRow[] {
    return this.#db.all<RepositoryRow>('SELECT * FROM repositories ORDER BY owner, name');
  }

  update(id: number, patch: RepositoryPatch): RepositoryRow {
    const fields = { ...patch, updated_at: this.#now().toISOString() };
    this.#db.update('repositories', 'id', id, fields);
    return this.byId(id);
  }

  remove(id: number): void {
    this.#db.run('DELETE FROM repositories WHERE id = ?', id);
  }

  openIssueCount(id: number): number {
    const sql = "SELECT count(*) AS count FROM issues WHERE repository_id = ? AND state = 'open'";
    return this.#db.get<{ count: number }>(sql, id)?.count ?? 0;
  }
}
