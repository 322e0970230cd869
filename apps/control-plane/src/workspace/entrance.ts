import { DurableObject } from 'cloudflare:workers';
import {
  type ApiToken,
  type TokenCreated,
  type TokenId,
  type TokenList,
  fail,
} from '@ship/protocol';
import { type Outcome, outcomeOf, refusal } from '../platform/outcome.ts';
import { Browsers, type Grant } from './browsers.ts';
import { ChangeLog } from './change-log.ts';
import { type Database, openDatabase } from './database.ts';
import { LiveSockets } from './live.ts';
import { SignInAttempts } from './sign-in-attempts.ts';
import { ApiTokens } from './tokens.ts';

/** What somebody brings to the door. The owner's token is compared where it is known, outside of the object. */
export type Claim = { kind: 'owner'; mark: string } | { kind: 'token'; value: string };

/** The part of the workspace that decides who comes in: API tokens, and browsers that signed in with one. */
export abstract class WorkspaceEntrance<Env> extends DurableObject<Env> {
  protected readonly db: Database;
  protected readonly changes: ChangeLog;
  protected readonly live: LiveSockets;
  readonly #tokens: ApiTokens;
  readonly #browsers: Browsers;
  readonly #attempts = new SignInAttempts();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.db = openDatabase(ctx.storage);
    this.changes = new ChangeLog(this.db);
    this.live = new LiveSockets(ctx, this.changes);
    this.#tokens = new ApiTokens(this.db);
    this.#browsers = new Browsers(this.db);
  }

  listTokens(): Outcome<TokenList> {
    return this.do(() => this.#tokens.list());
  }

  async createToken(name: string): Promise<Outcome<TokenCreated>> {
    return outcomeOf(() => this.#tokens.create(name));
  }

  revokeToken(tokenId: TokenId): Outcome<ApiToken> {
    const outcome = this.do(() => this.#tokens.revoke(tokenId));
    this.live.endThoseOf(tokenId);
    return outcome;
  }

  async verifyToken(value: string): Promise<TokenId | null> {
    return (await this.#tokens.verify(value, Date.now())) ?? null;
  }

  /** Those of the given tokens that may no longer be used: a session's watchers are asked about once a minute. */
  revokedTokens(tokenIds: TokenId[]): TokenId[] {
    return this.#tokens.revoked(tokenIds);
  }

  /** What a browser is to keep for 30 days. Whoever failed too often waits, also with the right token. */
  async signIn(address: string, claim: Claim): Promise<Outcome<string>> {
    return outcomeOf(async () => {
      const nowMs = Date.now();
      const waitMs = this.#attempts.waitMs(address, nowMs);
      if (waitMs > 0)
        fail(
          'rate-limited',
          'Too many wrong tokens came from your address.',
          `Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
        );
      const grant = await this.#grant(claim, nowMs);
      if (grant !== undefined) return this.#browsers.open(grant, nowMs);
      this.#attempts.failed(address, nowMs);
      return fail(
        'unauthenticated',
        'This token is not valid, or it was revoked.',
        'Copy the whole of it, with its first letters “ship_”. Whoever gave it to you can make another under Settings → API tokens.',
      );
    });
  }

  /** Null once it signed out, expired, or what it signed in with is no longer good. */
  async grantOfBrowser(value: string): Promise<Grant | null> {
    const grant = await this.#browsers.grantOf(value, Date.now());
    if (grant === undefined) return null;
    const isRevoked = grant.kind === 'token' && this.#tokens.revoked([grant.tokenId]).length > 0;
    return isRevoked ? null : grant;
  }

  async signOut(value: string): Promise<void> {
    await this.#browsers.close(value);
  }

  /** All of it or nothing; watchers hear of it when it is done. */
  protected do<Value>(work: () => Value): Outcome<Value> {
    try {
      const value = this.ctx.storage.transactionSync(work);
      this.live.push(this.changes.takeUntold());
      return { ok: true, value };
    } catch (thrown) {
      this.changes.takeUntold();
      return refusal(thrown);
    }
  }

  async #grant(claim: Claim, nowMs: number): Promise<Grant | undefined> {
    if (claim.kind === 'owner') return claim;
    const tokenId = await this.#tokens.verify(claim.value, nowMs);
    return tokenId === undefined ? undefined : { kind: 'token', tokenId };
  }
}
