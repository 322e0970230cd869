import { type RequestId, type SessionId, createId, fail } from '@ship/protocol';
import { eq, lt } from 'drizzle-orm';
import type { Database } from './database.ts';
import { admissions } from './schema.ts';

/** Clients retry a request within minutes, not days. */
const KEPT_MS = 2 * 24 * 60 * 60_000;

/**
 * Idempotency of session creation. A session gets its id here before it exists, so that a client that retries after a crash
 * gets the same session and never a second one.
 */
export class Admissions {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** `prewarmed` is the id of a prewarmed sandbox's session. */
  admit(
    requestId: RequestId,
    fingerprint: string,
    nowMs: number,
    prewarmed: SessionId | null = null,
  ): SessionId {
    const known = this.#db
      .select()
      .from(admissions)
      .where(eq(admissions.requestId, requestId))
      .get();
    if (known === undefined) return this.#add(requestId, fingerprint, nowMs, prewarmed);
    if (known.fingerprint === fingerprint) return known.sessionId;
    return fail(
      'request-id-reused',
      `Request ${requestId} was made before with different content.`,
      'Use a new request id for a new request.',
    );
  }

  #add(
    requestId: RequestId,
    fingerprint: string,
    nowMs: number,
    prewarmed: SessionId | null,
  ): SessionId {
    this.#db
      .delete(admissions)
      .where(lt(admissions.at, nowMs - KEPT_MS))
      .run();
    const sessionId = prewarmed ?? createId('ses');
    this.#db.insert(admissions).values({ requestId, fingerprint, sessionId, at: nowMs }).run();
    return sessionId;
  }
}
