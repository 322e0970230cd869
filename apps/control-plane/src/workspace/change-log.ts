import type { NumberedChange, WorkspaceChange } from '@ship/protocol';
import { asc, gt, lte, max, min } from 'drizzle-orm';
import type { Database } from './database.ts';
import { changes } from './schema.ts';

/** How far back a client may have been away and still be told only what it missed. */
export const CHANGES_KEPT = 1000;
const PRUNE_EVERY = 100;

/**
 * What happened in the workspace, numbered without gaps. A change belongs to the transaction that makes it true: it is
 * stored there, and handed to watchers only when that is done.
 */
export class ChangeLog {
  readonly #db: Database;
  #untold: NumberedChange[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  record(change: WorkspaceChange): void {
    const { version } = this.#db
      .insert(changes)
      .values({ change })
      .returning({ version: changes.version })
      .get();
    this.#untold.push({ version, change });
    if (version % PRUNE_EVERY === 0)
      this.#db
        .delete(changes)
        .where(lte(changes.version, version - CHANGES_KEPT))
        .run();
  }

  /** Those recorded since the last call. After a transaction that failed they are dropped: they never were. */
  takeUntold(): NumberedChange[] {
    const untold = this.#untold;
    this.#untold = [];
    return untold;
  }

  newest(): number {
    return this.#range().newest;
  }

  /** Everything after `after`, or undefined when some of that is no longer (or not yet) known here. */
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
