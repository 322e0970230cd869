import { type RequestId, type SessionId, createId, fail } from '@ship/protocol';
import { eq, lt } from 'drizzle-orm';
import type { Database } from './database.ts';
import { admissions } from './schema.ts';

/** A client repeats a request within minutes, not within days. */
const KEPT_MS = 2 * 24 * 60 * 60_000;

/**
 * The session that a request makes gets its id here, before it exists: a client that repeats the request after a crash is
 * led to the same one, and never to a second.
 */
export class Admissions {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** `waiting`: an id that was chosen before, because its sandbox waits. */
  admit(
    requestId: RequestId,
    fingerprint: string,
    nowMs: number,
    waiting: SessionId | null = null,
  ): SessionId {
    const known = this.#db
      .select()
      .from(admissions)
      .where(eq(admissions.requestId, requestId))
      .get();
    if (known === undefined) return this.#add(requestId, fingerprint, nowMs, waiting);
    if (known.fingerprint === fingerprint) return known.sessionId;
    return fail(
      'request-id-reused',
      `Request ${requestId} was made before with another content.`,
      'Use a new request id for a new request.',
    );
  }

  #add(
    requestId: RequestId,
    fingerprint: string,
    nowMs: number,
    waiting: SessionId | null,
  ): SessionId {
    this.#db
      .delete(admissions)
      .where(lt(admissions.at, nowMs - KEPT_MS))
      .run();
    const sessionId = waiting ?? createId('ses');
    this.#db.insert(admissions).values({ requestId, fingerprint, sessionId, at: nowMs }).run();
    return sessionId;
  }
}
