import { createHash } from 'node:crypto';
import type { TokenOptions } from '../options.ts';
import type { UserRow } from '../store/rows.ts';
import type { Users } from '../store/users.ts';
import { parseCredentials } from './credentials.ts';
import { ApiError } from './errors.ts';

/** The authenticated user of a request and their permissions. */
export interface Actor {
  user: UserRow;
  canWrite: boolean;
  canAccess(fullName: string): boolean;
}

/** Looks up tokens by hash, so that timing does not reveal how much of a token is correct. */
export class Authenticator {
  readonly #tokens = new Map<string, TokenOptions>();
  readonly #users: Users;
  readonly #now: () => Date;
  readonly #localLogin: string;

  constructor(users: Users, tokens: readonly TokenOptions[], localLogin: string, now: () => Date) {
    this.#users = users;
    this.#now = now;
    this.#localLogin = localLogin;
    for (const token of tokens) this.#tokens.set(hash(token.token), token);
  }

  /** Without configured tokens every request acts as the local user; its credentials are ignored. */
  identify(authorization: string | undefined): Actor {
    if (this.#tokens.size === 0)
      return {
        user: this.#users.findOrCreate(this.#localLogin),
        canWrite: true,
        canAccess: () => true,
      };
    const presented = parseCredentials(authorization);
    if (presented === undefined) throw new ApiError(401, 'Requires authentication');
    const token = this.#tokens.get(hash(presented));
    const expired = token?.expiresAt !== undefined && token.expiresAt <= this.#now().getTime();
    if (token === undefined || expired) throw new ApiError(401, 'Bad credentials');
    const allowed = token.repositories?.map((name) => name.toLowerCase());
    return {
      user: this.#users.findOrCreate(token.login, token.name, token.email),
      canWrite: token.access !== 'read',
      canAccess: (fullName) => allowed === undefined || allowed.includes(fullName.toLowerCase()),
    };
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
