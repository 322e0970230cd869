import {
  type SessionId,
  type SessionPage,
  type SessionQuery,
  SessionReport,
  SessionSummary,
  fail,
  timeOfId,
} from '@ship/protocol';
import { and, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Board } from './board.ts';
import type { ChangeLog } from './change-log.ts';
import type { Database } from './database.ts';
import { toMicros } from './money.ts';
import { Outcomes } from './outcomes.ts';
import { cards, sessions } from './schema.ts';
import { searchable, searchConditions } from './search.ts';

/** Higher than every version that a session can report. */
const REMOVED_VERSION = Number.MAX_SAFE_INTEGER;

/** Generated names contain the session; more than one match means a name that people reused. */
const MAX_ON_BRANCH = 20;

interface SessionOnBranch {
  sessionId: SessionId;
  repository: string;
}

/** The index of sessions: the newest report of each. */
export class SessionIndex {
  readonly #db: Database;
  readonly #changes: ChangeLog;
  readonly #board: Board;
  readonly #outcomes: Outcomes;

  constructor(db: Database, changes: ChangeLog, board: Board) {
    this.#db = db;
    this.#outcomes = new Outcomes(db);
    this.#changes = changes;
    this.#board = board;
  }

  /** False when a newer report or the removal is already stored: reports may arrive out of order. */
  report(input: SessionReport): boolean {
    const { version, summary } = admit(input);
    const known = this.#db
      .select({ version: sessions.version })
      .from(sessions)
      .where(eq(sessions.sessionId, summary.sessionId))
      .get();
    if (known !== undefined && known.version >= version) return false;
    this.#store({
      sessionId: summary.sessionId,
      version,
      summary,
      searchText: searchable([summary.title, summary.repository, summary.branch ?? '']),
      status: summary.status,
      repository: summary.repository,
      costMicros: summary.costUsd === null ? null : toMicros(summary.costUsd),
      pullRequestState: summary.pullRequest?.state ?? null,
      firstTokenMs: summary.timings.firstTokenMs,
      pullRequestMs: summary.timings.pullRequestMs,
      createdAt: summary.createdAt,
    });
    this.#outcomes.record(summary);
    this.#changes.record({ type: 'session.changed', session: summary });
    this.#board.applySession(summary);
    return true;
  }

  remove(sessionId: SessionId): void {
    const known = this.find(sessionId);
    this.#store({
      sessionId,
      version: REMOVED_VERSION,
      summary: null,
      searchText: '',
      status: null,
      repository: null,
      costMicros: null,
      pullRequestState: null,
      firstTokenMs: null,
      pullRequestMs: null,
    });
    this.#board.dropSession(sessionId);
    if (known !== undefined) this.#changes.record({ type: 'session.removed', sessionId });
  }

  find(sessionId: SessionId): SessionSummary | undefined {
    const row = this.#db
      .select({ summary: sessions.summary })
      .from(sessions)
      .where(eq(sessions.sessionId, sessionId))
      .get();
    return row?.summary === undefined || row.summary === null
      ? undefined
      : SessionSummary.parse(row.summary);
  }

  /**
   * Newest first by creation, which never changes, so that concurrent additions and updates cannot shift pages. Not by id: a
   * session with a sandbox of the warm pool has an id that is older than the session.
   */
  list({ q, status, column, repository, cursor, limit }: SessionQuery): SessionPage {
    const matches = searchConditions(this.#db, q ?? '');
    if (matches === undefined) return { sessions: [], nextCursor: null };
    // The index of a column is sorted only by the card's columns.
    const order =
      column === undefined
        ? { at: sessions.createdAt, id: sessions.sessionId }
        : { at: cards.sessionAt, id: cards.sessionId };
    const rows = this.#db
      .select({ summary: sessions.summary })
      .from(sessions)
      .leftJoin(cards, eq(cards.sessionId, sessions.sessionId))
      .where(
        and(
          isNotNull(sessions.summary),
          cursor === undefined
            ? undefined
            : sql`(${order.at}, ${order.id}) < (${this.#createdAt(cursor)}, ${cursor})`,
          status === undefined ? undefined : inArray(sessions.status, status),
          column === undefined ? undefined : inArray(cards.column, column),
          repository === undefined ? undefined : eq(sessions.repository, repository),
          ...matches,
        ),
      )
      .orderBy(desc(order.at), desc(order.id))
      .limit(limit + 1)
      .all();
    // Parsing gives summaries of older versions the defaults of new fields.
    const found = rows.map((row) => SessionSummary.parse(row.summary));
    const page = found.slice(0, limit);
    return {
      sessions: page,
      nextCursor: found.length > limit ? (page.at(-1)?.sessionId ?? null) : null,
    };
  }

  /** Includes removed sessions: the page after one must not restart at the top. */
  #createdAt(sessionId: SessionId): number {
    const row = this.#db
      .select({ createdAt: sessions.createdAt })
      .from(sessions)
      .where(eq(sessions.sessionId, sessionId))
      .get();
    // Must equal the sort key even for unreported sessions: another value would repeat a page.
    return row?.createdAt ?? timeOfId(sessionId);
  }

  /** Sessions with this branch in any repository: a webhook has only the branch name. */
  onBranch(branch: string): SessionOnBranch[] {
    const rows = this.#db
      .select({ sessionId: sessions.sessionId, repository: sessions.repository })
      .from(sessions)
      .where(sql`json_extract(${sessions.summary}, '$.branch') = ${branch}`)
      .orderBy(desc(sessions.createdAt), desc(sessions.sessionId))
      .limit(MAX_ON_BRANCH)
      .all();
    return rows.map(({ sessionId, repository }) => ({ sessionId, repository: repository ?? '' }));
  }

  #store(row: typeof sessions.$inferInsert): void {
    this.#db
      .insert(sessions)
      .values(row)
      .onConflictDoUpdate({ target: sessions.sessionId, set: row })
      .run();
  }
}

/** Validates before storing: one invalid summary would break the whole list when it is read. */
function admit(report: SessionReport): SessionReport {
  const parsed = SessionReport.safeParse(report);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path }) => path.join('.'));
  return fail('invalid-input', `The report is invalid: ${fields.join(', ')}.`, 'Report this.');
}
