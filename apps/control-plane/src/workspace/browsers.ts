import type { SignInLink, TokenId } from '@ship/protocol';
import { and, asc, count, eq, gt, inArray, lt, lte } from 'drizzle-orm';
import { sha256Hex, toBase64Url } from '../platform/bytes.ts';
import { type BrowserId, browserIdOf, hashOfBrowser } from '../platform/credential.ts';
import type { Database } from './database.ts';
import { browsers } from './schema.ts';

/** The credential of a sign-in: an API token, or the owner's token, identified by a mark derived from it. */
export type Grant = { kind: 'token'; tokenId: TokenId } | { kind: 'owner'; mark: string };

/** A browser's cookie and its grant. */
export interface BrowserGrant {
  value: string;
  browserId: BrowserId;
  grant: Grant;
}

const LINK_LIFE_MS = 10 * 60 * 1_000;
const VALUE_BYTES = 32;
const MAX_BROWSERS = 1_000;
/** Renews at most once a day: a write per page view would be too many. */
const RENEWAL_PRECISION_MS = 24 * 60 * 60 * 1_000;

/** Hashed with a prefix that no cookie has, so that a link code is invalid as a cookie, and a cookie as a code. */
const hashOfCode = (code: string) => sha256Hex(`ship sign-in link v1 ${code}`);

const randomValue = () => toBase64Url(crypto.getRandomValues(new Uint8Array(VALUE_BYTES)));

/**
 * Signed-in browsers and unused sign-in links. Only hashes are stored, as for tokens: the values are 256 random bits.
 */
export class Browsers {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the cookie value of a new browser session. */
  async signIn(grant: Grant, lifeMs: number, nowMs: number): Promise<string> {
    const value = randomValue();
    this.#insert(await sha256Hex(value), grant, nowMs, nowMs + lifeMs);
    return value;
  }

  /** Creates a link that signs one browser in. */
  async createLink(grant: Grant, nowMs: number): Promise<SignInLink> {
    const code = randomValue();
    const expiresAt = nowMs + LINK_LIFE_MS;
    this.#insert(await hashOfCode(code), grant, nowMs, expiresAt);
    return { code, expiresAt };
  }

  /** Valid once: a second browser with the same link gets nothing. */
  async redeemLink(code: string, nowMs: number): Promise<Grant | undefined> {
    const hash = await hashOfCode(code);
    const row = this.#db.delete(browsers).where(eq(browsers.hash, hash)).returning().get();
    return grantIn(row, nowMs);
  }

  /** The caller must check that the grant is still valid. */
  async grantOf(value: string, nowMs: number): Promise<BrowserGrant | undefined> {
    const hash = await sha256Hex(value);
    const row = this.#db.select().from(browsers).where(eq(browsers.hash, hash)).get();
    const grant = grantIn(row, nowMs);
    return grant === undefined ? undefined : { value, browserId: browserIdOf(hash), grant };
  }

  /** The ids that are not signed in: signed out, expired or unknown. */
  ended(browserIds: readonly BrowserId[], nowMs: number): BrowserId[] {
    const hashes = browserIds.map(hashOfBrowser);
    const rows = this.#db
      .select({ hash: browsers.hash })
      .from(browsers)
      .where(and(inArray(browsers.hash, hashes), gt(browsers.expiresAt, nowMs)))
      .all();
    const valid = new Set(rows.map(({ hash }) => hash));
    return browserIds.filter((browserId) => !valid.has(hashOfBrowser(browserId)));
  }

  /** Extends a session that is in use. */
  async renew(value: string, lifeMs: number, nowMs: number): Promise<void> {
    const hash = await sha256Hex(value);
    const expiresAt = nowMs + lifeMs;
    this.#db
      .update(browsers)
      .set({ expiresAt })
      .where(
        and(
          eq(browsers.hash, hash),
          gt(browsers.expiresAt, nowMs),
          lt(browsers.expiresAt, expiresAt - RENEWAL_PRECISION_MS),
        ),
      )
      .run();
  }

  async signOut(value: string): Promise<BrowserId> {
    const hash = await sha256Hex(value);
    this.#db.delete(browsers).where(eq(browsers.hash, hash)).run();
    return browserIdOf(hash);
  }

  #insert(hash: string, grant: Grant, createdAt: number, expiresAt: number): void {
    this.#prune(createdAt);
    const tokenId = grant.kind === 'token' ? grant.tokenId : null;
    const ownerMark = grant.kind === 'owner' ? grant.mark : null;
    this.#db.insert(browsers).values({ hash, tokenId, ownerMark, createdAt, expiresAt }).run();
  }

  /** Deletes expired rows, and the oldest ones above the limit. */
  #prune(nowMs: number): void {
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

function grantIn(row: typeof browsers.$inferSelect | undefined, nowMs: number): Grant | undefined {
  if (row === undefined || row.expiresAt <= nowMs) return undefined;
  if (row.tokenId !== null) return { kind: 'token', tokenId: row.tokenId };
  return row.ownerMark === null ? undefined : { kind: 'owner', mark: row.ownerMark };
}
