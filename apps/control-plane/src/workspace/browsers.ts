import type { TokenId } from '@ship/protocol';
import { asc, count, eq, inArray, lte } from 'drizzle-orm';
import { sha256Hex, toBase64Url } from '../platform/bytes.ts';
import type { Database } from './database.ts';
import { browsers } from './schema.ts';

/** What a browser signed in with: an API token, or the owner's, known by a mark that another owner's token does not have. */
export type Grant = { kind: 'token'; tokenId: TokenId } | { kind: 'owner'; mark: string };

const BROWSER_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
const VALUE_BYTES = 32;
const MAX_BROWSERS = 1_000;

/** Browsers that signed in. As with tokens only hashes are stored. */
export class Browsers {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** What the browser is to keep. */
  async open(grant: Grant, nowMs: number): Promise<string> {
    const value = toBase64Url(crypto.getRandomValues(new Uint8Array(VALUE_BYTES)));
    const hash = await sha256Hex(value);
    this.#makeRoom(nowMs);
    this.#db
      .insert(browsers)
      .values({
        hash,
        tokenId: grant.kind === 'token' ? grant.tokenId : null,
        ownerMark: grant.kind === 'owner' ? grant.mark : null,
        createdAt: nowMs,
        expiresAt: nowMs + BROWSER_LIFE_MS,
      })
      .run();
    return value;
  }

  /** Whether the grant still holds is for the caller to ask. */
  async grantOf(value: string, nowMs: number): Promise<Grant | undefined> {
    const hash = await sha256Hex(value);
    const row = this.#db.select().from(browsers).where(eq(browsers.hash, hash)).get();
    if (row === undefined || row.expiresAt <= nowMs) return undefined;
    if (row.tokenId !== null) return { kind: 'token', tokenId: row.tokenId };
    return row.ownerMark === null ? undefined : { kind: 'owner', mark: row.ownerMark };
  }

  async close(value: string): Promise<void> {
    const hash = await sha256Hex(value);
    this.#db.delete(browsers).where(eq(browsers.hash, hash)).run();
  }

  /** Those that are over go; of those that are not, the oldest, when there are too many. */
  #makeRoom(nowMs: number): void {
    this.#db.delete(browsers).where(lte(browsers.expiresAt, nowMs)).run();
    const total = this.#db.select({ total: count() }).from(browsers).get()?.total ?? 0;
    if (total < MAX_BROWSERS) return;
    const oldest = this.#db
      .select({ hash: browsers.hash })
      .from(browsers)
      .orderBy(asc(browsers.createdAt))
      .limit(total - MAX_BROWSERS + 1);
    this.#db.delete(browsers).where(inArray(browsers.hash, oldest)).run();
  }
}
