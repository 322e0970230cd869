import type { SessionId } from '@ship/protocol';
import { and, asc, eq, gte, lt } from 'drizzle-orm';
import type { Database } from './database.ts';
import { slots } from './schema.ts';

/** A session at work renews every heartbeat; one that waits asks every few seconds. Whoever is silent this long is gone. */
const LEASE_MS = 120_000;

interface Asked {
  sessionId: SessionId;
  /** When a person wanted the work: the place in line. */
  askedAt: number;
}

/**
 * How many sessions work at once, and who is next: first come, first served. Leases instead of locks, because a session
 * that dies cannot give its slot back.
 */
export class Slots {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** True when the session may work now. Asking again renews: a slot that is held, or the place in line. */
  take({ sessionId, askedAt }: Asked, limit: number, nowMs: number): boolean {
    this.#db
      .delete(slots)
      .where(lt(slots.renewedAt, nowMs - LEASE_MS))
      .run();
    const renewed = { sessionId, askedAt, renewedAt: nowMs, isWorking: false };
    this.#db
      .insert(slots)
      .values(renewed)
      .onConflictDoUpdate({ target: slots.sessionId, set: { renewedAt: nowMs } })
      .run();
    const line = this.#db
      .select()
      .from(slots)
      .orderBy(asc(slots.askedAt), asc(slots.sessionId))
      .all();
    if (line.some((row) => row.sessionId === sessionId && row.isWorking)) return true;
    const free = limit - line.filter(({ isWorking }) => isWorking).length;
    const isNext = line
      .filter(({ isWorking }) => !isWorking)
      .slice(0, Math.max(0, free))
      .some((row) => row.sessionId === sessionId);
    if (isNext)
      this.#db.update(slots).set({ isWorking: true }).where(eq(slots.sessionId, sessionId)).run();
    return isNext;
  }

  /** Whether any session works now. */
  isAnyWorking(nowMs: number): boolean {
    const held = and(eq(slots.isWorking, true), gte(slots.renewedAt, nowMs - LEASE_MS));
    return this.#db.select().from(slots).where(held).limit(1).all().length > 0;
  }

  release(sessionId: SessionId): void {
    this.#db.delete(slots).where(eq(slots.sessionId, sessionId)).run();
  }
}
