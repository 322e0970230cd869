import type { Database } from './database.ts';
import type { ReviewCommentRow, ReviewRow } from './rows.ts';

export type NewReviewComment = Omit<ReviewCommentRow, 'id' | 'created_at' | 'updated_at'>;

export class Reviews {
  readonly #db: Database;
  readonly #now: () => Date;

  constructor(db: Database, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  add(review: Omit<ReviewRow, 'id'>): ReviewRow {
    const id = this.#db.insert('reviews', { ...review });
    return { ...review, id };
  }

  list(issueId: number): ReviewRow[] {
    return this.#db.all<ReviewRow>('SELECT * FROM reviews WHERE issue_id = ? ORDER BY id', issueId);
  }

  find(issueId: number, id: number): ReviewRow | undefined {
    return this.list(issueId).find((row) => row.id === id);
  }

  update(id: number, patch: Partial<Pick<ReviewRow, 'state' | 'body' | 'submitted_at'>>): void {
    const sql = `UPDATE reviews SET state = coalesce(?, state), body = coalesce(?, body),
      submitted_at = coalesce(?, submitted_at) WHERE id = ?`;
    this.#db.run(sql, patch.state ?? null, patch.body ?? null, patch.submitted_at ?? null, id);
  }

  remove(id: number): void {
    this.#db.run('DELETE FROM reviews WHERE id = ?', id);
  }

  addComment(comment: NewReviewComment): ReviewCommentRow {
    const now = this.#now().toISOString();
    const row = { ...comment, created_at: now, updated_at: now };
    const id = this.#db.insert('review_comments', { ...row });
    return { ...row, id };
  }

  comments(issueId: number): ReviewCommentRow[] {
    const sql = 'SELECT * FROM review_comments WHERE issue_id = ? ORDER BY id';
    return this.#db.all<ReviewCommentRow>(sql, issueId);
  }

  comment(repositoryId: number, id: number): ReviewCommentRow | undefined {
    return this.#db.get<ReviewCommentRow>(
      `SELECT c.* FROM review_comments c JOIN issues i ON i.id = c.issue_id
       WHERE i.repository_id = ? AND c.id = ?`,
      repositoryId,
      id,
    );
  }

  updateComment(id: number, body: string): void {
    const now = this.#now().toISOString();
    this.#db.run('UPDATE review_comments SET body = ?, updated_at = ? WHERE id = ?', body, now, id);
  }

  removeComment(id: number): void {
    this.#db.run('DELETE FROM review_comments WHERE id = ?', id);
  }
}
