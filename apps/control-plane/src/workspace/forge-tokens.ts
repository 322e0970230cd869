import { fail, openSettings } from '@ship/protocol';
import { and, eq, ne } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Keyring } from './keyring.ts';
import { forgeTokens } from './schema.ts';

/** What may be known of a token. */
export interface ForgeTokenInfo {
  setAt: number;
  login: string | null;
}

/** With the token itself, for what speaks with the forge only. */
export interface OpenForgeToken extends ForgeTokenInfo {
  token: string;
}

type Row = typeof forgeTokens.$inferSelect;

/** The tokens that people set for forges, each for the address that it was given for. Sealed like secrets. */
export class ForgeTokens {
  readonly #db: Database;
  readonly #keyring: Keyring;

  constructor(db: Database, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  read(url: string): ForgeTokenInfo | undefined {
    const row = this.#find(url);
    return row === undefined ? undefined : infoOf(row);
  }

  async open(url: string): Promise<OpenForgeToken | undefined> {
    const row = this.#find(url);
    return row === undefined ? undefined : { ...infoOf(row), token: await this.#open(row) };
  }

  async write(url: string, token: string, login: string | null): Promise<ForgeTokenInfo> {
    const sealed = await this.#keyring.seal(token, contextOf(url));
    const row = { url, login, ...sealed, setAt: Date.now() };
    this.#db
      .insert(forgeTokens)
      .values(row)
      .onConflictDoUpdate({ target: forgeTokens.url, set: row })
      .run();
    return infoOf(row);
  }

  /** `setAt` says of which token: another may have been set while the forge was asked. */
  noteLogin(url: string, setAt: number, login: string): void {
    const same = and(eq(forgeTokens.url, url), eq(forgeTokens.setAt, setAt));
    this.#db.update(forgeTokens).set({ login }).where(same).run();
  }

  remove(url: string): void {
    const gone = this.#db
      .delete(forgeTokens)
      .where(eq(forgeTokens.url, url))
      .returning({ url: forgeTokens.url })
      .all();
    if (gone.length === 0)
      fail(
        'not-found',
        `No token for ${url} was set here.`,
        'See GET /api/forges; one of the environment is removed there.',
      );
  }

  /** Seals with the newest key what an older one sealed; how many those were. */
  async rotate(): Promise<number> {
    const keyId = await this.#keyring.newestKeyId();
    const rows = this.#db.select().from(forgeTokens).where(ne(forgeTokens.keyId, keyId)).all();
    for (const row of rows) {
      const sealed = await this.#keyring.seal(await this.#open(row), contextOf(row.url));
      // Somebody may have set a new token while this one was being sealed: that one stays.
      const same = and(eq(forgeTokens.url, row.url), eq(forgeTokens.sealed, row.sealed));
      this.#db.update(forgeTokens).set(sealed).where(same).run();
    }
    return rows.length;
  }

  #find(url: string): Row | undefined {
    return this.#db.select().from(forgeTokens).where(eq(forgeTokens.url, url)).get();
  }

  async #open(row: Row): Promise<string> {
    return (
      (await this.#keyring.open(row, contextOf(row.url))) ??
      fail(
        'secret-unreadable',
        `The token for ${row.url} cannot be decrypted: it was changed outside Ship, or its key is missing.`,
        'Bring back the key with which it was stored, or set the token again under Settings → Forges.',
        openSettings('forges'),
      )
    );
  }
}

const infoOf = ({ setAt, login }: ForgeTokenInfo): ForgeTokenInfo => ({ setAt, login });

const contextOf = (url: string): string => `ship forge token v1\n${url}`;
