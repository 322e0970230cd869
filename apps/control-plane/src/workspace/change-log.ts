import type { NumberedChange, WorkspaceChange } from '@ship/protocol';
import { asc, gt, lte, max, min } from 'drizzle-orm';
import type { Database } from './database.ts';
import { changes } from './schema.ts';

/** A client that reconnects within this many changes gets only the missed ones. */
export const CHANGES_KEPT = 1000;
const PRUNE_EVERY = 100;

/**
 * Changes of the workspace, numbered without gaps. A change is stored in the transaction that causes it and broadcast only
 * after that commits.
 */
export class ChangeLog {
  readonly #db: Database;
  #unpublished: NumberedChange[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  record(change: WorkspaceChange): void {
    const { version } = this.#db
      .insert(changes)
      .values({ change })
      .returning({ version: changes.version })
      .get();
    this.#unpublished.push({ version, change });
    if (version % PRUNE_EVERY === 0)
      this.#db
        .delete(changes)
        .where(lte(changes.version, version - CHANGES_KEPT))
        .run();
  }

  /** Changes recorded since the last call. After a rollback the caller drops them. */
  takeUnpublished(): NumberedChange[] {
    const unpublished = this.#unpublished;
    this.#unpublished = [];
    return unpublished;
  }

  newest(): number {
    return this.#range().newest;
  }

  /** All changes after `after`; undefined when some are pruned, or `after` is in the future. */
  since(after: number): NumberedChange[] | undefined {
    const { oldest, newest } = this.#range();
    if (after > newest || after < oldest - 1) return undefined;
    return this.#db
      .select()
      .from(changes)
      .where(gt(changes.version, after))
      .orderBy(asc(changes.version))
      .limit(CHANGES_KEPT + PRUNE_EVERY)
      .all();
  }

  #range(): { oldest: number; newest: number } {
    const row = this.#db
      .select({ oldest: min(changes.version), newest: max(changes.version) })
      .from(changes)
      .get();
    return { oldest: row?.oldest ?? 1, newest: row?.newest ?? 0 };
  }
}
