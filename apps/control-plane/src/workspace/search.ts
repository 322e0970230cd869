import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { sessions } from './schema.ts';

const MAX_WORDS = 8;
/** The index consists of trigrams (see its migration), so shorter words are not in it. */
const IS_INDEXED = /.{3}/su;
/** Above this number of hits a scan of the list finds them quickly, and hits of the index would need sorting. */
const MAX_INDEXED_HITS = 200;

/** Normalizes text for comparison. Drops NUL, which SQLite treats as the end of the text. */
export function searchable(texts: string[]): string {
  return texts.join('\n').normalize('NFKC').toLowerCase().replaceAll('\0', '');
}

/** SQL conditions for sessions with all words of `q`; undefined when no session matches. */
export function searchConditions(db: Database, q: string): SQL[] | undefined {
  const words = searchable([q])
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
  const has = words.map((word) => sql`instr(${sessions.searchText}, ${word}) > 0`);
  const phrases = words.filter((word) => IS_INDEXED.test(word)).map(quoted);
  if (phrases.length === 0) return has;
  const hits = sql`SELECT rowid FROM session_search WHERE session_search MATCH ${phrases.join(' ')}`;
  const found = db.get<{ total: number }>(
    sql`SELECT count(*) AS total FROM (${hits} LIMIT ${MAX_INDEXED_HITS + 1})`,
  ).total;
  if (found === 0) return undefined;
  return found > MAX_INDEXED_HITS ? has : [...has, sql`sessions.rowid IN (${hits})`];
}

/** Quoted for a literal match: outside quotes, words and symbols are operators. */
const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`;
