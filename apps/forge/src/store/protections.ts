import type { ProtectionRules } from '../protection/rules.ts';
import type { Database } from './database.ts';

interface Row {
  branch: string;
  rules: string;
}

/** Rules of protected branches. */
export class Protections {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  set(repositoryId: number, branch: string, rules: ProtectionRules): void {
    const sql =
      'INSERT OR REPLACE INTO protections (repository_id, branch, rules) VALUES (?, ?, ?)';
    this.#db.run(sql, repositoryId, branch, JSON.stringify(rules));
  }

  remove(repositoryId: number, branch: string): boolean {
    const sql = 'DELETE FROM protections WHERE repository_id = ? AND branch = ?';
    return this.#db.run(sql, repositoryId, branch).changes > 0;
  }

  of(repositoryId: number): Map<string, ProtectionRules> {
    const sql = 'SELECT branch, rules FROM protections WHERE repository_id = ? ORDER BY branch';
    const rows = this.#db.all<Row>(sql, repositoryId);
    // Only `set` writes this column.
    return new Map(rows.map(({ branch, rules }) => [branch, JSON.parse(rules) as ProtectionRules]));
  }

  find(repositoryId: number, branch: string): ProtectionRules | undefined {
    return this.of(repositoryId).get(branch);
  }
}
