import type { Database } from './database.ts';
import type { CommentRow, IssueRow, LabelRow } from './rows.ts';

export type IssuePatch = Partial<
  Pick<IssueRow, 'title' | 'body' | 'state' | 'state_reason' | 'assignees' | 'closed_at'>
>;

export interface NewIssue {
  title: string;
  body: string | null;
  userId: number;
  isPull: boolean;
}

/** Issues, and the fields that pull requests share with them: numbers, text, state, comments, labels. */
export class Issues {
  readonly #db: Database;
  readonly #now: () => Date;

  constructor(db: Database, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  /** Issues and pull requests share one sequence of numbers, as on GitHub. */
  add(repositoryId: number, issue: NewIssue): IssueRow {
    const now = this.#now().toISOString();
    return this.#db.transaction(() => {
      const sql = 'SELECT coalesce(max(number), 0) + 1 AS next FROM issues WHERE repository_id = ?';
      const number = this.#db.get<{ next: number }>(sql, repositoryId)?.next ?? 1;
      const id = this.#db.insert('issues', {
        repository_id: repositoryId,
        number,
        is_pull: issue.isPull ? 1 : 0,
        title: issue.title,
        body: issue.body,
        user_id: issue.userId,
        created_at: now,
        updated_at: now,
      });
      return this.byId(id);
    });
  }

  byId(id: number): IssueRow {
    const row = this.#db.get<IssueRow>('SELECT * FROM issues WHERE id = ?', id);
    if (row === undefined) throw new Error(`no issue ${id}`);
    return row;
  }

  find(repositoryId: number, number: number): IssueRow | undefined {
    const sql = 'SELECT * FROM issues WHERE repository_id = ? AND number = ?';
    return this.#db.get<IssueRow>(sql, repositoryId, number);
  }

  list(repositoryId: number): IssueRow[] {
    return this.#db.all<IssueRow>('SELECT * FROM issues WHERE repository_id = ?', repositoryId);
  }

  update(id: number, patch: IssuePatch): void {
    this.#db.update('issues', 'id', id, { ...patch, updated_at: this.#now().toISOString() });
  }

  labels(issueId: number): LabelRow[] {
    return this.#db.all<LabelRow>(
      `SELECT l.* FROM labels l JOIN issue_labels il ON il.label_id = l.id
       WHERE il.issue_id = ? ORDER BY l.name`,
      issueId,
    );
  }

  setLabels(issueId: number, labelIds: readonly number[]): void {
    this.#db.transaction(() => {
      this.#db.run('DELETE FROM issue_labels WHERE issue_id = ?', issueId);
      for (const id of labelIds)
        this.#db.run('INSERT OR IGNORE INTO issue_labels VALUES (?, ?)', issueId, id);
      this.update(issueId, {});
    });
  }

  addComment(issueId: number, userId: number, body: string): CommentRow {
    const now = this.#now().toISOString();
    const sql =
      'INSERT INTO comments (issue_id, user_id, body, created_at, updated_at) VALUES (?, ?, ?, ?, ?)';
    const { id } = this.#db.run(sql, issueId, userId, body, now, now);
    this.update(issueId, {});
    const row = this.#db.get<CommentRow>('SELECT * FROM comments WHERE id = ?', id);
    if (row === undefined) throw new Error('a comment that was just stored is missing');
    return row;
  }

  comments(issueId: number): CommentRow[] {
    return this.#db.all<CommentRow>(
      'SELECT * FROM comments WHERE issue_id = ? ORDER BY id',
      issueId,
    );
  }

  commentsOfRepository(repositoryId: number): CommentRow[] {
    return this.#db.all<CommentRow>(
      'SELECT c.* FROM comments c JOIN issues i ON i.id = c.issue_id WHERE i.repository_id = ? ORDER BY c.id',
      repositoryId,
    );
  }

  commentCount(issueId: number): number {
    const sql = 'SELECT count(*) AS count FROM comments WHERE issue_id = ?';
    return this.#db.get<{ count: number }>(sql, issueId)?.count ?? 0;
  }

  comment(repositoryId: number, id: number): CommentRow | undefined {
    return this.commentsOfRepository(repositoryId).find((row) => row.id === id);
  }

  updateComment(id: number, body: string): void {
    const now = this.#now().toISOString();
    this.#db.run('UPDATE comments SET body = ?, updated_at = ? WHERE id = ?', body, now, id);
  }

  removeComment(id: number): void {
    this.#db.run('DELETE FROM comments WHERE id = ?', id);
  }
}
