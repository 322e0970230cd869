import type { Database } from './database.ts';
import type { LabelRow } from './rows.ts';

export class Labels {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  list(repositoryId: number): LabelRow[] {
    const sql = 'SELECT * FROM labels WHERE repository_id = ? ORDER BY name';
    return this.#db.all<LabelRow>(sql, repositoryId);
  }

  find(repositoryId: number, name: string): LabelRow | undefined {
    const sql = 'SELECT * FROM labels WHERE repository_id = ? AND name = ?';
    return this.#db.get<LabelRow>(sql, repositoryId, name);
  }

  /** Finds or creates a label: as on GitHub, adding an unknown label to an issue creates it. */
  ensure(
    repositoryId: number,
    name: string,
    color = 'ededed',
    description: string | null = null,
  ): LabelRow {
    const sql =
      'INSERT OR IGNORE INTO labels (repository_id, name, color, description) VALUES (?, ?, ?, ?)';
    this.#db.run(sql, repositoryId, name, color, description);
    const label = this.find(repositoryId, name);
    if (label === undefined) throw new Error('a label that was just stored is missing');
    return label;
  }

  remove(id: number): void {
    this.#db.run('DELETE FROM labels WHERE id = ?', id);
  }
}
