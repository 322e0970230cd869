import { calibrate } from '@ship/core';
import type { Calibration, SessionId, SessionSummary } from '@ship/protocol';
import { and, count, eq, inArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { outcomes } from './schema.ts';

/** Records the confidence score of pull requests together with their outcome. */
export class Outcomes {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A reopened pull request loses its outcome; a reverted one stays reverted. */
  record({ sessionId, pullRequest, confidence, updatedAt: at }: SessionSummary): void {
    if (pullRequest === null) return;
    const { number, state } = pullRequest;
    const isSame = and(eq(outcomes.sessionId, sessionId), eq(outcomes.number, number));
    const known = this.#db.select().from(outcomes).where(isSame).get();
    if (state === 'open') {
      if (known !== undefined) this.#db.delete(outcomes).where(isSame).run();
      return;
    }
    // Keep the score from the time of the decision: later scores were not reviewed.
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
