import { calibrate } from '@ship/core';
import type { Calibration, SessionId, SessionSummary } from '@ship/protocol';
import { and, count, eq, inArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { outcomes } from './schema.ts';

/** Which score a session's work had, and what became of its pull request. */
export class Outcomes {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A pull request that is opened again is no longer decided; one that was taken back stays so. */
  follow({ sessionId, pullRequest, confidence, updatedAt: at }: SessionSummary): void {
    if (pullRequest === null) return;
    const { number, state } = pullRequest;
    const isIt = and(eq(outcomes.sessionId, sessionId), eq(outcomes.number, number));
    const known = this.#db.select().from(outcomes).where(isIt).get();
    if (state === 'open') {
      if (known !== undefined) this.#db.delete(outcomes).where(isIt).run();
      return;
    }
    // The score is that of when it was decided: what comes later was judged by nobody.
    if (confidence === null || known?.outcome === state || known?.outcome === 'reverted') return;
    const row = { sessionId, number, score: confidence, outcome: state, at };
    this.#db
      .insert(outcomes)
      .values(row)
      .onConflictDoUpdate({ target: [outcomes.sessionId, outcomes.number], set: row })
      .run();
  }

  revert(sessionIds: SessionId[]): void {
    this.#db
      .update(outcomes)
      .set({ outcome: 'reverted' })
      .where(inArray(outcomes.sessionId, sessionIds))
      .run();
  }

  read(): Calibration {
    return calibrate(
      this.#db
        .select({ score: outcomes.score, outcome: outcomes.outcome, total: count() })
        .from(outcomes)
        .groupBy(outcomes.score, outcomes.outcome)
        .all(),
    );
  }
}
