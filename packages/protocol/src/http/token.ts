import * as z from 'zod';
import { TokenId } from '../ids.ts';
import { line } from './text.ts';

/** Public facts about an API token. */
export const ApiToken = z.object({
  tokenId: TokenId,
  name: line(100),
  createdAt: z.int().nonnegative(),
  /** To the minute; null when it was never used. */
  lastUsedAt: z.int().nonnegative().nullable(),
  revokedAt: z.int().nonnegative().nullable(),
});
export type ApiToken = z.infer<typeof ApiToken>;

/** `POST /api/tokens` */
export const TokenCreate = z.strictObject({ name: line(100) });
export type TokenCreate = z.infer<typeof TokenCreate>;

/** The only response with the token's value: Ship stores its hash. */
export const TokenCreated = z.object({ token: ApiToken, value: z.string() });
export type TokenCreated = z.infer<typeof TokenCreated>;

export const TokenList = z.object({ tokens: z.array(ApiToken) });
export type TokenList = z.infer<typeof TokenList>;
