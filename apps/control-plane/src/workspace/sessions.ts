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
import { searchable, searchedFor } from './search.ts';

/** Above every version that a session can report. */
const REMOVED_VERSION = Number.MAX_SAFE_INTEGER;

/** Names have the session in them: more than one is a name that a person chose again. */
const MAX_ON_BRANCH = 20;

interface SessionOnBranch {
  sessionId: SessionId;
  repository: string;
}

/** The index of the team's sessions: what each reported of itself last. */
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

  /** False when a newer report, or the removal, was here first: reports may overtake each other on the way. */
  report(given: SessionReport): boolean {
    const { version, summary } = admit(given);
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
    this.#outcomes.follow(summary);
    this.#changes.record({ type: 'session.changed', session: summary });
    this.#board.follow(summary);
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
   * Newest first by creation, which never changes: what is added or updated meanwhile cannot shift the pages. Not by id: a
   * session that takes a sandbox of the warm pool has the pool's id, which is older than the session.
   */
  list({ q, status, column, repository, cursor, limit }: SessionQuery): SessionPage {
    const hasWords = searchedFor(this.#db, q ?? '');
    if (hasWords === undefined) return { sessions: [], nextCursor: null };
    // The index that finds those of a column has them in order only by the card's own columns.
    const place =
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
            : sql`(${place.at}, ${place.id}) < (${this.#createdAt(cursor)}, ${cursor})`,
          status === undefined ? undefined : inArray(sessions.status, status),
          column === undefined ? undefined : inArray(cards.column, column),
          repository === undefined ? undefined : eq(sessions.repository, repository),
          ...hasWords,
        ),
      )
      .orderBy(desc(place.at), desc(place.id))
      .limit(limit + 1)
      .all();
    // A summary that an older version stored gets the defaults of what was added since.
    const found = rows.map((row) => SessionSummary.parse(row.summary));
    const page = found.slice(0, limit);
    return {
      sessions: page,
      nextCursor: found.length > limit ? (page.at(-1)?.sessionId ?? null) : null,
    };
  }

  /** Also of a removed session: the page after it must not begin at the top again. */
  #createdAt(sessionId: SessionId): number {
    const row = this.#db
      .select({ createdAt: sessions.createdAt })
      .from(sessions)
      .where(eq(sessions.sessionId, sessionId))
      .get();
    // What the list is ordered by, even where a session has not said it: another value would repeat a page.
    return row?.createdAt ?? timeOfId(sessionId);
  }

  /** Whose branch has this name, in whatever repository: a webhook knows no more of a session. */
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

/** What is stored is parsed when it is read: one summary that does not fit would take the whole list with it. */
function admit(report: SessionReport): SessionReport {
  const parsed = SessionReport.safeParse(report);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path }) => path.join('.'));
  return fail('invalid-input', `The report does not fit: ${fields.join(', ')}.`, 'Report this.');
}
