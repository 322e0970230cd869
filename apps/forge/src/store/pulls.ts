import type { Database } from './database.ts';
import type { MergeIntentRow, PullRow } from './rows.ts';

export type PullPatch = Partial<
  Pick<
    PullRow,
    | 'draft'
    | 'head_sha'
    | 'base_ref'
    | 'base_sha'
    | 'reviewers'
    | 'merged_at'
    | 'merged_by'
    | 'merge_commit_sha'
  >
>;

const select = 'SELECT i.*, p.* FROM issues i JOIN pulls p ON p.issue_id = i.id';

export class Pulls {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add(
    issueId: number,
    pull: Pick<PullRow, 'draft' | 'head_ref' | 'head_sha' | 'base_ref' | 'base_sha'>,
  ): void {
    this.#db.insert('pulls', { issue_id: issueId, ...pull });
  }

  byId(issueId: number): PullRow {
    const row = this.findById(issueId);
    if (row === undefined) throw new Error(`no pull request ${issueId}`);
    return row;
  }

  findById(issueId: number): PullRow | undefined {
    return this.#db.get<PullRow>(`${select} WHERE i.id = ?`, issueId);
  }

  find(repositoryId: number, number: number): PullRow | undefined {
    const sql = `${select} WHERE i.repository_id = ? AND i.number = ?`;
    return this.#db.get<PullRow>(sql, repositoryId, number);
  }

  list(repositoryId: number): PullRow[] {
    return this.#db.all<PullRow>(
      `${select} WHERE i.repository_id = ? ORDER BY i.number`,
      repositoryId,
    );
  }

  open(repositoryId: number): PullRow[] {
    const sql = `${select} WHERE i.repository_id = ? AND i.state = 'open' ORDER BY i.number`;
    return this.#db.all<PullRow>(sql, repositoryId);
  }

  /** The open pull request for the same branches, which a second one would duplicate. */
  openFor(repositoryId: number, headRef: string, baseRef: string): PullRow | undefined {
    return this.open(repositoryId).find(
      (row) => row.head_ref === headRef && row.base_ref === baseRef,
    );
  }

  headBranches(repositoryId: number): string[] {
    return [...new Set(this.list(repositoryId).map((row) => row.head_ref))];
  }

  update(issueId: number, patch: PullPatch): void {
    this.#db.update('pulls', 'issue_id', issueId, patch);
  }

  intents(repositoryId: number): MergeIntentRow[] {
    return this.#db.all<MergeIntentRow>(
      'SELECT m.* FROM merge_intents m JOIN issues i ON i.id = m.issue_id WHERE i.repository_id = ?',
      repositoryId,
    );
  }

  /** Stored before the base branch moves, so that an interrupted merge is recognized after a crash. */
  setIntent(intent: MergeIntentRow): void {
    this.#db.transaction(() => {
      this.removeIntent(intent.issue_id);
      this.#db.insert('merge_intents', { ...intent });
    });
  }

  removeIntent(issueId: number): void {
    this.#db.run('DELETE FROM merge_intents WHERE issue_id = ?', issueId);
  }
}
