import type { SessionId } from '@ship/protocol';
import { and, asc, eq, gte, lt } from 'drizzle-orm';
import type { Database } from './database.ts';
import { slots } from './schema.ts';

/** Working sessions renew with every heartbeat, waiting ones every few seconds. A lease without renewal expires after this. */
const LEASE_MS = 120_000;

interface SlotRequest {
  sessionId: SessionId;
  /** When the work was requested: determines the place in the queue. */
  askedAt: number;
}

/**
 * Concurrency limit for working sessions, in FIFO order. Leases instead of locks, because a session that dies cannot release
 * its slot.
 */
export class Slots {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** True when the session may work now. Repeating the call renews its slot or its place in the queue. */
  take({ sessionId, askedAt }: SlotRequest, limit: number, nowMs: number): boolean {
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
    const queue = this.#db
      .select()
      .from(slots)
      .orderBy(asc(slots.askedAt), asc(slots.sessionId))
      .all();
    if (queue.some((row) => row.sessionId === sessionId && row.isWorking)) return true;
    const free = limit - queue.filter(({ isWorking }) => isWorking).length;
    const isNext = queue
      .filter(({ isWorking }) => !isWorking)
      .slice(0, Math.max(0, free))
      .some((row) => row.sessionId === sessionId);
    if (isNext)
      this.#db.update(slots).set({ isWorking: true }).where(eq(slots.sessionId, sessionId)).run();
    return isNext;
  }

  /** Whether any session is working now. */
  isAnyWorking(nowMs: number): boolean {
    const held = and(eq(slots.isWorking, true), gte(slots.renewedAt, nowMs - LEASE_MS));
    return this.#db.select().from(slots).where(held).limit(1).all().length > 0;
  }

  release(sessionId: SessionId): void {
    this.#db.delete(slots).where(eq(slots.sessionId, sessionId)).run();
  }
}
