import { createHash } from 'node:crypto';
import type { TokenOptions } from '../options.ts';
import type { UserRow } from '../store/rows.ts';
import type { Users } from '../store/users.ts';
import { parseCredentials } from './credentials.ts';
import { ApiError } from './errors.ts';

/** Who asks, and what they may do. */
export interface Actor {
  user: UserRow;
  canWrite: boolean;
  mayUse(fullName: string): boolean;
}

/** Tokens are looked up by their hash: the time a look-up takes tells nothing about how much of a token was right. */
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

  /** Without configured tokens there is one user, the person at this machine, whatever a client sends. */
  identify(authorization: string | undefined): Actor {
    if (this.#tokens.size === 0)
      return {
        user: this.#users.ofLogin(this.#localLogin),
        canWrite: true,
        mayUse: () => true,
      };
    const presented = parseCredentials(authorization);
    if (presented === undefined) throw new ApiError(401, 'Requires authentication');
    const token = this.#tokens.get(hash(presented));
    const expired = token?.expiresAt !== undefined && token.expiresAt <= this.#now().getTime();
    if (token === undefined || expired) throw new ApiError(401, 'Bad credentials');
    const only = token.repositories?.map((name) => name.toLowerCase());
    return {
      user: this.#users.ofLogin(token.login, token.name, token.email),
      canWrite: token.access !== 'read',
      mayUse: (fullName) => only === undefined || only.includes(fullName.toLowerCase()),
    };
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
