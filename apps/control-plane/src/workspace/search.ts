import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { sessions } from './schema.ts';

const MAX_WORDS = 8;
/** The index is made of pieces of three characters (see its migration): a shorter word is in none of them. */
const IS_INDEXED = /.{3}/su;
/** More than these are soon met with on the way through the list, and would have to be sorted first. */
const FEW = 200;

/** One spelling for comparison. A character that SQLite would take for the end of the text is left out. */
export function searchable(texts: string[]): string {
  return texts.join('\n').normalize('NFKC').toLowerCase().replaceAll('\0', '');
}

/** What must be true of a session that has all words of `q`; undefined when no session has them. */
export function searchedFor(db: Database, q: string): SQL[] | undefined {
  const words = searchable([q])
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
  const has = words.map((word) => sql`instr(${sessions.searchText}, ${word}) > 0`);
  const pieces = words.filter((word) => IS_INDEXED.test(word)).map(quoted);
  if (pieces.length === 0) return has;
  const hits = sql`SELECT rowid FROM session_search WHERE session_search MATCH ${pieces.join(' ')}`;
  const found = db.get<{ total: number }>(
    sql`SELECT count(*) AS total FROM (${hits} LIMIT ${FEW + 1})`,
  ).total;
  if (found === 0) return undefined;
  return found > FEW ? has : [...has, sql`sessions.rowid IN (${hits})`];
}

/** Taken literally: outside of quotes, words and signs are operators. */
const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`;
