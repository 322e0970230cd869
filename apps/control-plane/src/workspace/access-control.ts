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

/** What somebody brings to the door. The owner's token is compared where it is known, outside of the object. */
export type Claim =
  | { kind: 'owner'; mark: string }
  | { kind: 'token'; value: string }
  | { kind: 'link'; code: string };

/** The part of the workspace that decides who comes in: API tokens, and browsers that signed in with one. */
export abstract class WorkspaceAccessControl<Env> extends DurableObject<Env> {
  protected readonly db: Database;
  protected readonly changes: ChangeLog;
  protected readonly live: LiveSockets;
  readonly #tokens: ApiTokens;
  readonly #browsers: Browsers;
  readonly #attempts = new SignInAttempts();
  /** Apart from signing in: a program with a token that was revoked must not keep the people at its address out. */
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
    return this.do(() => this.#tokens.list());
  }

  async createToken(name: string): Promise<Result<TokenCreated>> {
    return resultOf(() => this.#tokens.create(name));
  }

  revokeToken(tokenId: TokenId): Result<ApiToken> {
    const outcome = this.do(() => this.#tokens.revoke(tokenId));
    this.live.endThoseOf(tokenId);
    return outcome;
  }

  async verifyToken(value: string): Promise<TokenId | null> {
    return (await this.#tokens.verify(value, Date.now())) ?? null;
  }

  /** Those of the given credentials that no longer hold. Asked from time to time about whatever is open. */
  endedCredentials(credentials: Credential[]): Credential[] {
    const tokenIds = credentials.filter(isTokenId);
    const browserIds = credentials.filter(isBrowserId);
    return [...this.#tokens.revoked(tokenIds), ...this.#browsers.ended(browserIds, Date.now())];
  }

  /**
   * How long an address has to wait because of wrong bearer tokens; this request's may be one. For the caller to apply where
   * it matters: tokens that are ours to make have 256 random bits, and whoever has one is never kept out by somebody else.
   */
  bearerWaitMs(address: string, isWrong: boolean): number {
    const nowMs = Date.now();
    const waitMs = this.#bearerAttempts.waitMs(address, nowMs);
    if (isWrong) this.#bearerAttempts.failed(address, nowMs);
    return waitMs;
  }

  /** What a browser is to keep. Whoever failed too often waits, also with the right token; with the right link, never. */
  async signIn(address: string, claim: Claim, lifeMs: number): Promise<Result<string>> {
    return resultOf(async () => {
      const nowMs = Date.now();
      const waitMs = this.#attempts.waitMs(address, nowMs);
      // On one machine all callers have one address: a link is looked up first, or any of them could keep the owner out.
      if (waitMs > 0 && claim.kind !== 'link') refuseForNow(waitMs);
      const grant = await this.#grant(claim, nowMs);
      if (grant !== undefined) return this.#browsers.open(grant, lifeMs, nowMs);
      this.#attempts.failed(address, nowMs);
      return waitMs > 0 ? refuseForNow(waitMs) : refuseClaim(claim);
    });
  }

  /** A link that signs one browser in with this grant. */
  async offerSignIn(grant: Grant): Promise<SignInLink> {
    return this.#browsers.offer(grant, Date.now());
  }

  /** Those of the values that stand for something: not after signing out, expiry, or the end of what they were made with. */
  async grantsOfBrowsers(values: string[]): Promise<BrowserGrant[]> {
    const nowMs = Date.now();
    const found: BrowserGrant[] = [];
    for (const value of values) {
      const known = await this.#browsers.grantOf(value, nowMs);
      if (known !== undefined && this.#holds(known.grant)) found.push(known);
    }
    return found;
  }

  async renewBrowser(value: string, lifeMs: number): Promise<void> {
    await this.#browsers.renew(value, lifeMs, Date.now());
  }

  async signOut(value: string): Promise<void> {
    this.live.endThoseOf(await this.#browsers.close(value));
  }

  /** All of it or nothing; watchers hear of it when it is done. */
  protected do<Value>(work: () => Value): Result<Value> {
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
    if (claim.kind === 'link') {
      const grant = await this.#browsers.take(claim.code, nowMs);
      return grant !== undefined && this.#holds(grant) ? grant : undefined;
    }
    const tokenId = await this.#tokens.verify(claim.value, nowMs);
    return tokenId === undefined ? undefined : { kind: 'token', tokenId };
  }

  #holds(grant: Grant): boolean {
    return grant.kind === 'owner' || this.#tokens.revoked([grant.tokenId]).length === 0;
  }
}

function refuseForNow(waitMs: number): never {
  return fail(
    'rate-limited',
    'Too many wrong tokens came from your address.',
    `Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
  );
}

function refuseClaim({ kind }: Claim): never {
  return kind === 'link'
    ? fail(
        'unauthenticated',
        'This link was used already, or it is older than 10 minutes.',
        'Get a new one with: npx --no-install ship open',
      )
    : fail(
        'unauthenticated',
        'This token is not valid, or it was revoked.',
        'Copy the whole of it, with its first letters “ship_”. Whoever gave it to you can make another under Settings → API tokens.',
      );
}
