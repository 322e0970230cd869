import type { Database } from './database.ts';
import type { UserRow } from './rows.ts';

export class Users {
  readonly #db: Database;
  readonly #now: () => Date;

  constructor(db: Database, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  /** Creates or updates a user; a given name or email replaces the stored one. */
  ensure(login: string, name?: string, email?: string): UserRow {
    this.#db.run(
      `INSERT INTO users (login, name, email, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (login) DO UPDATE SET name = coalesce(excluded.name, name), email = coalesce(excluded.email, email)`,
      login,
      name ?? null,
      email ?? null,
      this.#now().toISOString(),
    );
    const user = this.find(login);
    if (user === undefined) throw new Error('a user that was just stored is missing');
    return user;
  }

  /** Finds or creates a user; an existing one is not changed. */
  findOrCreate(login: string, name?: string, email?: string): UserRow {
    return this.find(login) ?? this.ensure(login, name, email);
  }

  find(login: string): UserRow | undefined {
    return this.#db.get<UserRow>('SELECT * FROM users WHERE login = ?', login);
  }

  byId(id: number): UserRow {
    const user = this.#db.get<UserRow>('SELECT * FROM users WHERE id = ?', id);
    if (user === undefined) throw new Error(`no user ${id}`);
    return user;
  }

  byEmail(email: string): UserRow | undefined {
    return this.#db.get<UserRow>('SELECT * FROM users WHERE email = ? COLLATE NOCASE', email);
  }

  byIds(json: string): UserRow[] {
    return (JSON.parse(json) as number[]).map((id) => this.byId(id));
  }
}
