/**
 * Browsers sign in once with a token or a link, and then use a separate cookie. On one machine only links are accepted: they
 * are created with the token in the data folder, which other users of the machine cannot read.
 */
import { type SignIn, type SignInLink, fail } from '@ship/protocol';
import { sameSecret, sha256Hex } from '../../platform/bytes.ts';
import type { Grant } from '../../workspace/browsers.ts';
import type { Claim } from '../../workspace/access-control.ts';
import { requireSameOrigin } from '../guard.ts';
import type { AuthRules, KnownRules } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { readCookies, writeCookie } from './cookie.ts';

const MARK_LENGTH = 16;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** On one machine each visit renews the cookie, so that active users never sign in again. */
const LIFE_MS = { local: 365 * DAY_MS, team: 30 * DAY_MS };

/** Signs a browser in and returns its cookie. */
export async function signIn(rules: AuthRules, request: Request, body: SignIn): Promise<string> {
  requireSameOrigin(request);
  const known = configured(rules);
  const lifeMs = LIFE_MS[known.mode];
  const claim = await claimOf(known, body);
  const value = await known.accessControl.signIn(addressOf(request), claim, lifeMs);
  return writeCookie(request, value, lifeMs);
}

async function claimOf(rules: KnownRules, body: SignIn): Promise<Claim> {
  if ('code' in body) return { kind: 'link', code: body.code };
  if (rules.mode === 'local')
    return fail(
      'not-configured',
      'This server has one user, who signs in with a link.',
      'Get one with: npx --no-install ship open',
    );
  const { ownerToken } = rules;
  const isOwner = ownerToken !== undefined && sameSecret(body.token, ownerToken);
  return isOwner
    ? { kind: 'owner', mark: await markOf(ownerToken) }
    : { kind: 'token', value: body.token };
}

/** Creates the code of a link that signs one browser in with the caller's rights. */
export async function createSignInLink(rules: AuthRules, caller: Caller): Promise<SignInLink> {
  const known = configured(rules);
  return known.accessControl.createSignInLink(await grantOf(known, caller));
}

async function grantOf(rules: KnownRules, caller: Caller): Promise<Grant> {
  if (caller.kind === 'token') return { kind: 'token', tokenId: caller.tokenId };
  const mark = caller.kind === 'anonymous' ? undefined : await ownerMark(rules);
  if (mark === undefined)
    return fail('unauthenticated', 'You are not signed in.', 'Sign in, or send a token.');
  return { kind: 'owner', mark };
}

/** Signs the browser out and returns a cookie that deletes its own. */
export async function signOut(rules: AuthRules, request: Request): Promise<string> {
  const { accessControl } = configured(rules);
  await Promise.all(readCookies(request).map((value) => accessControl.signOut(value)));
  return writeCookie(request, '', 0);
}

/** Renews the cookie; undefined when it is not renewed. */
export async function renewed(rules: AuthRules, request: Request): Promise<string | undefined> {
  if (rules.mode !== 'local' || request.headers.has('authorization')) return undefined;
  const found = await grantIn(rules, request);
  if (found === undefined) return undefined;
  await rules.accessControl.renewBrowser(found.value, LIFE_MS.local);
  return writeCookie(request, found.value, LIFE_MS.local);
}

export async function callerOfBrowser(
  rules: KnownRules,
  request: Request,
): Promise<Caller | undefined> {
  const found = await grantIn(rules, request);
  if (found === undefined) return undefined;
  const { grant, browserId } = found;
  if (grant.kind === 'token') return { kind: 'token', tokenId: grant.tokenId, browserId };
  return rules.mode === 'local' ? { kind: 'local' } : { kind: 'owner', browserId };
}

async function grantIn(rules: KnownRules, request: Request) {
  const values = readCookies(request);
  if (values.length === 0) return undefined;
  const found = await rules.accessControl.grantsOfBrowsers(values);
  const mark = await ownerMark(rules);
  // After a change of the owner's token, sessions of the old one are invalid.
  return found.find(({ grant }) => grant.kind === 'token' || grant.mark === mark);
}

function configured(rules: AuthRules): KnownRules {
  if (rules.mode !== 'unconfigured') return rules;
  return fail(
    'not-configured',
    'This server has no valid authentication mode.',
    'On one machine start it with `ship up`. In the cloud set AUTH_MODE to team.',
  );
}

async function ownerMark(rules: KnownRules): Promise<string | undefined> {
  const secret = rules.mode === 'local' ? rules.localToken : rules.ownerToken;
  return secret === undefined ? undefined : markOf(secret);
}

const markOf = async (secret: string) =>
  (await sha256Hex(`ship owner mark v1 ${secret}`)).slice(0, MARK_LENGTH);

/**
 * The caller's IP address, for rate limits. Cloudflare sets it in a header that clients cannot forge; plain workerd has it in
 * `cf`. Outside Cloudflare the header must be ignored: a client could forge a new address for each guess.
 */
export function addressOf({ cf, headers }: Request): string {
  const known: Record<string, unknown> = { ...cf };
  // Strip the port, which differs per connection.
  if (typeof known.clientIp === 'string')
    return known.clientIp.replace(/^(\[.*\]|[\d.]+):\d+$/, '$1');
  const isAtCloudflare = known.colo !== undefined;
  return (isAtCloudflare ? headers.get('cf-connecting-ip') : null) ?? 'unknown';
}
