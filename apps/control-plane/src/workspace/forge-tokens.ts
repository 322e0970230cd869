import { fail, openSettings } from '@ship/protocol';
import { and, eq, ne } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Keyring } from './keyring.ts';
import { forgeTokens } from './schema.ts';

/** Public information about a token. */
export interface ForgeTokenInfo {
  setAt: number;
  login: string | null;
}

/** Includes the token; for forge clients only. */
export interface OpenForgeToken extends ForgeTokenInfo {
  token: string;
}

type Row = typeof forgeTokens.$inferSelect;

/** Stored forge tokens, each bound to the URL that it was set for. Encrypted like secrets. */
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

  /** `setAt` identifies the token: another may have been set while the forge was queried. */
  noteLogin(url: string, setAt: number, login: string): void {
    const same = and(eq(forgeTokens.url, url), eq(forgeTokens.setAt, setAt));
    this.#db.update(forgeTokens).set({ login }).where(same).run();
  }

  remove(url: string): void {
    const deleted = this.#db
      .delete(forgeTokens)
      .where(eq(forgeTokens.url, url))
      .returning({ url: forgeTokens.url })
      .all();
    if (deleted.length === 0)
      fail(
        'not-found',
        `There is no stored token for ${url}.`,
        'See GET /api/forges; remove a token of the environment from the environment.',
      );
  }

  /** Re-encrypts tokens of older keys with the newest one; returns their number. */
  async rotate(): Promise<number> {
    const keyId = await this.#keyring.newestKeyId();
    const rows = this.#db.select().from(forgeTokens).where(ne(forgeTokens.keyId, keyId)).all();
    for (const row of rows) {
      const sealed = await this.#keyring.seal(await this.#open(row), contextOf(row.url));
      // Do not overwrite a token that was set during encryption.
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
        'Restore the key that encrypted it, or set the token again under Settings → Forges.',
        openSettings('forges'),
      )
    );
  }
}

const infoOf = ({ setAt, login }: ForgeTokenInfo): ForgeTokenInfo => ({ setAt, login });

const contextOf = (url: string): string => `ship forge token v1\n${url}`;
