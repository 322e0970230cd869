import {
  ApiToken,
  type TokenCreated,
  type TokenId,
  type TokenList,
  createId,
  fail,
} from '@ship/protocol';
import { and, count, desc, eq, inArray, isNull } from 'drizzle-orm';
import { sha256Hex, toBase64Url } from '../platform/bytes.ts';
import type { Database } from './database.ts';
import { tokens } from './schema.ts';

/** Lets secret scanners and people recognise a token. */
const TOKEN_PREFIX = 'ship_';
const TOKEN_BYTES = 32;
const MAX_TOKENS = 200;
const MAX_LISTED = 500;
/** Limits writes: otherwise every API read would be a write. */
const LAST_USED_PRECISION_MS = 60_000;

/** API tokens. Only hashes are stored: tokens have 256 random bits, so they need no salt or slow hash. */
export class ApiTokens {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async create(name: string): Promise<TokenCreated> {
    const random = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
    const value = `${TOKEN_PREFIX}${toBase64Url(random)}`;
    const hash = await sha256Hex(value);
    const valid = this.#db
      .select({ total: count() })
      .from(tokens)
      .where(isNull(tokens.revokedAt))
      .get();
    if ((valid?.total ?? 0) >= MAX_TOKENS) {
      fail('limit-reached', `There are ${MAX_TOKENS} valid tokens.`, 'Revoke an unused one.');
    }
    const row = this.#db
      .insert(tokens)
      .values({ tokenId: createId('tok'), name, hash, createdAt: Date.now() })
      .returning()
      .get();
    return { token: view(row), value };
  }

  list(): TokenList {
    const rows = this.#db
      .select()
      .from(tokens)
      .orderBy(desc(tokens.tokenId))
      .limit(MAX_LISTED)
      .all();
    return { tokens: rows.map(view) };
  }

  /** Idempotent: the first revocation counts. */
  revoke(tokenId: TokenId): ApiToken {
    this.#db
      .update(tokens)
      .set({ revokedAt: Date.now() })
      .where(and(eq(tokens.tokenId, tokenId), isNull(tokens.revokedAt)))
      .run();
    const row = this.#db.select().from(tokens).where(eq(tokens.tokenId, tokenId)).get();
    if (row !== undefined) return view(row);
    return fail('not-found', `There is no token ${tokenId}.`, 'See GET /api/tokens.');
  }

  /** Unknown tokens count as revoked. */
  revoked(tokenIds: TokenId[]): TokenId[] {
    if (tokenIds.length === 0) return [];
    const valid = this.#db
      .select({ tokenId: tokens.tokenId })
      .from(tokens)
      .where(and(inArray(tokens.tokenId, tokenIds), isNull(tokens.revokedAt)))
      .all();
    const known = new Set(valid.map(({ tokenId }) => tokenId));
    return tokenIds.filter((tokenId) => !known.has(tokenId));
  }

  /** Returns the id of a valid token. The lookup by hash leaks nothing about the value through timing. */
  async verify(value: string, nowMs: number): Promise<TokenId | undefined> {
    const hash = await sha256Hex(value);
    const row = this.#db.select().from(tokens).where(eq(tokens.hash, hash)).get();
    if (row === undefined || row.revokedAt !== null) return undefined;
    if (nowMs - (row.lastUsedAt ?? 0) >= LAST_USED_PRECISION_MS)
      this.#db
        .update(tokens)
        .set({ lastUsedAt: nowMs })
        .where(eq(tokens.tokenId, row.tokenId))
        .run();
    return row.tokenId;
  }
}

/** Parsing drops the hash, which is not part of the contract. */
const view = (row: typeof tokens.$inferSelect): ApiToken => ApiToken.parse(row);
