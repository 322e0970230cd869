/**
 * Enlarges the workspace's index by writing to its object's SQLite file while it is closed: ten thousand requests would
 * take half an hour, and the benchmark measures the workspace with them, not their creation.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { BoardColumn, SessionStatus, createId } from '@ship/protocol';

type Row = Record<string, SQLInputValue>;

/** A hundred repositories, so that each has its share of the sessions. */
const REPOSITORIES = 100;
const WORDS = ['login', 'parser', 'footer', 'cache', 'invoice', 'upload', 'calendar', 'search'];

/** Copies a row of a real session under other names, so that the rows fit the current schema. */
export function fillWorkspace(objectsFolder: string, total: number): void {
  const database = open(objectsFolder);
  try {
    const session = database.prepare('SELECT * FROM sessions LIMIT 1').get() as Row;
    const card = database
      .prepare('SELECT * FROM cards WHERE session_id = ?')
      .get(session.session_id ?? null) as Row;
    const insertSession = insertion(database, 'sessions', session);
    const insertCard = insertion(database, 'cards', card);
    const { known } = database.prepare('SELECT count(*) AS known FROM sessions').get() as {
      known: number;
    };
    database.exec('BEGIN');
    for (let number = known; number < total; number += 1) {
      const made = nextSession(session, number);
      insertSession(made);
      insertCard(nextCard(card, made, number));
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function nextSession(row: Row, number: number): Row {
  const sessionId = createId('ses');
  const title = `Fix the ${WORDS[number % WORDS.length]} of customer ${number}`;
  // One repository fills a page in a small workspace too, so that equal pages are compared.
  const repository = `/srv/code/app-${number < 60 ? 7 : number % REPOSITORIES}`;
  const status = number < 100 ? SessionStatus.options[number % 9] : 'idle';
  const summary = JSON.parse(row.summary as string) as object;
  return {
    ...row,
    session_id: sessionId,
    summary: JSON.stringify({ ...summary, sessionId, title, repository, status }),
    search_text: `${title}\n${repository}\n`.toLowerCase(),
    repository,
    status: status ?? 'idle',
  };
}

function nextCard(row: Row, session: Row, number: number): Row {
  // A large workspace has as many unfinished cards as a small one.
  const column = number < 100 ? BoardColumn.options[number % 5] : 'done';
  return {
    ...row,
    card_id: createId('crd'),
    session_id: session.session_id ?? null,
    board_column: column ?? 'done',
    derived_column: column ?? 'done',
    position: number + 1,
    request_id: null,
  };
}

function insertion(database: DatabaseSync, table: string, row: Row): (values: Row) => void {
  const names = Object.keys(row);
  const statement = database.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  return (values) => void statement.run(...names.map((name) => values[name] ?? null));
}

function open(folder: string): DatabaseSync {
  for (const file of globSync('workspace/*.sqlite', { cwd: folder })) {
    const database = new DatabaseSync(join(folder, file));
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").get();
    if (table !== undefined) return database;
    database.close();
  }
  throw new Error('the workspace was not found');
}
