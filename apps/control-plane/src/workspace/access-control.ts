import { DurableObject } from 'cloudflare:workers';
import {
  type ApiToken,
  type SignInLink,
  type TokenCreated,
  type TokenId,
  type TokenList,
  fail,
} from '@ship/protocol';
import { type Result, resultOf, refusal } from '../platform/result.ts';
import { type Credential, isBrowserId, isTokenId } from '../platform/credential.ts';
import { type BrowserGrant, Browsers, type Grant } from './browsers.ts';
import { ChangeLog } from './change-log.ts';
import { type Database, openDatabase } from './database.ts';
import { LiveSockets } from './live.ts';
import { SignInAttempts } from './sign-in-attempts.ts';
import { ApiTokens } from './tokens.ts';

/** The claim of a browser that signs in. The Worker has already verified the owner's token; this object does not know it. */
export type Claim =
  | { kind: 'owner'; mark: string }
  | { kind: 'token'; value: string }
  | { kind: 'link'; code: string };

/** Access control of the workspace: API tokens and signed-in browsers. */
export abstract class WorkspaceAccessControl<Env> extends DurableObject<Env> {
  protected readonly db: Database;
  protected readonly changes: ChangeLog;
  protected readonly live: LiveSockets;
  readonly #tokens: ApiTokens;
  readonly #browsers: Browsers;
  readonly #attempts = new SignInAttempts();
  /** Separate from sign-in: a program with a revoked token must not lock out people at its address. */
  readonly #bearerAttempts = new SignInAttempts();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.db = openDatabase(ctx.storage);
    this.changes = new ChangeLog(this.db);
    this.live = new LiveSockets(ctx, this.changes);
    this.#tokens = new ApiTokens(this.db);
    this.#browsers = new Browsers(this.db);
  }

  listTokens(): Result<TokenList> {
    return this.transact(() => this.#tokens.list());
  }

  async createToken(name: string): Promise<Result<TokenCreated>> {
    return resultOf(() => this.#tokens.create(name));
  }

  revokeToken(tokenId: TokenId): Result<ApiToken> {
    const result = this.transact(() => this.#tokens.revoke(tokenId));
    this.live.closeByCredential(tokenId);
    return result;
  }

  async verifyToken(value: string): Promise<TokenId | null> {
    return (await this.#tokens.verify(value, Date.now())) ?? null;
  }

  /** The given credentials that are no longer valid. Polled for open connections. */
  endedCredentials(credentials: Credential[]): Credential[] {
    const tokenIds = credentials.filter(isTokenId);
    const browserIds = credentials.filter(isBrowserId);
    return [...this.#tokens.revoked(tokenIds), ...this.#browsers.ended(browserIds, Date.now())];
  }

  /**
   * How long an address is blocked because of wrong bearer tokens; `isWrong` counts this request's. The caller enforces it only
   * for guessable tokens: generated ones have 256 random bits, and their holders must not be locked out by others.
   */
  bearerWaitMs(address: string, isWrong: boolean): number {
    const nowMs = Date.now();
    const waitMs = this.#bearerAttempts.waitMs(address, nowMs);
    if (isWrong) this.#bearerAttempts.failed(address, nowMs);
    return waitMs;
  }

  /** Returns the browser's cookie. After too many failures even a valid token must wait; a valid link never does. */
  async signIn(address: string, claim: Claim, lifeMs: number): Promise<Result<string>> {
    return resultOf(async () => {
      const nowMs = Date.now();
      const waitMs = this.#attempts.waitMs(address, nowMs);
      // On one machine all callers share one address: check links first, or any caller could lock the owner out.
      if (waitMs > 0 && claim.kind !== 'link') rateLimited(waitMs);
      const grant = await this.#grant(claim, nowMs);
      if (grant !== undefined) return this.#browsers.signIn(grant, lifeMs, nowMs);
      this.#attempts.failed(address, nowMs);
      return waitMs > 0 ? rateLimited(waitMs) : invalidClaim(claim);
    });
  }

  /** Creates a link that signs one browser in with this grant. */
  async createSignInLink(grant: Grant): Promise<SignInLink> {
    return this.#browsers.createLink(grant, Date.now());
  }

  /** The valid cookies among the values: not signed out, not expired, and their token not revoked. */
  async grantsOfBrowsers(values: string[]): Promise<BrowserGrant[]> {
    const nowMs = Date.now();
    const found: BrowserGrant[] = [];
    for (const value of values) {
      const known = await this.#browsers.grantOf(value, nowMs);
      if (known !== undefined && this.#isValid(known.grant)) found.push(known);
    }
    return found;
  }

  async renewBrowser(value: string, lifeMs: number): Promise<void> {
    await this.#browsers.renew(value, lifeMs, Date.now());
  }

  async signOut(value: string): Promise<void> {
    this.live.closeByCredential(await this.#browsers.signOut(value));
  }

  /** Runs work in a transaction; changes are broadcast only after it commits. */
  protected transact<Value>(work: () => Value): Result<Value> {
    try {
      const value = this.ctx.storage.transactionSync(work);
      this.live.push(this.changes.takeUnpublished());
      return { ok: true, value };
    } catch (thrown) {
      this.changes.takeUnpublished();
      return refusal(thrown);
    }
  }

  async #grant(claim: Claim, nowMs: number): Promise<Grant | undefined> {
    if (claim.kind === 'owner') return claim;
    if (claim.kind === 'link') {
      const grant = await this.#browsers.redeemLink(claim.code, nowMs);
      return grant !== undefined && this.#isValid(grant) ? grant : undefined;
    }
    const tokenId = await this.#tokens.verify(claim.value, nowMs);
    return tokenId === undefined ? undefined : { kind: 'token', tokenId };
  }

  #isValid(grant: Grant): boolean {
    return grant.kind === 'owner' || this.#tokens.revoked([grant.tokenId]).length === 0;
  }
}

function rateLimited(waitMs: number): never {
  return fail(
    'rate-limited',
    'Too many wrong tokens came from your address.',
    `Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
  );
}

function invalidClaim({ kind }: Claim): never {
  return kind === 'link'
    ? fail(
        'unauthenticated',
        'This link was used already, or it is older than 10 minutes.',
        'Get a new one with: npx --no-install ship open',
      )
    : fail(
        'unauthenticated',
        'This token is not valid, or it was revoked.',
        'Copy the whole token, including “ship_” at its start. The person who gave it to you can create another under Settings → API tokens.',
      );
}
