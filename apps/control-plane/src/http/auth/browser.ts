/**
 * Browsers bring a token or a link once, and a cookie that is neither from then on. On one machine only links are taken: they
 * are made with the token of the data folder, which other users of the machine cannot read.
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
/** On one machine it is renewed with every visit: who uses Ship never has to sign in again. */
const LIFE_MS = { local: 365 * DAY_MS, team: 30 * DAY_MS };

/** The cookie to set. */
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

/** The code of a link that signs one browser in as the caller, and lets it do no more than the caller may. */
export async function offerSignIn(rules: AuthRules, caller: Caller): Promise<SignInLink> {
  const known = configured(rules);
  return known.accessControl.offerSignIn(await grantOf(known, caller));
}

async function grantOf(rules: KnownRules, caller: Caller): Promise<Grant> {
  if (caller.kind === 'token') return { kind: 'token', tokenId: caller.tokenId };
  const mark = caller.kind === 'anonymous' ? undefined : await ownerMark(rules);
  if (mark === undefined)
    return fail('unauthenticated', 'You are not signed in.', 'Sign in, or send a token.');
  return { kind: 'owner', mark };
}

/** The cookie that takes the other one away. */
export async function signOut(rules: AuthRules, request: Request): Promise<string> {
  const { accessControl } = configured(rules);
  await Promise.all(readCookies(request).map((value) => accessControl.signOut(value)));
  return writeCookie(request, '', 0);
}

/** The same cookie for as long again; undefined when it is not to go on. */
export async function renewed(rules: AuthRules, request: Request): Promise<string | undefined> {
  if (rules.mode !== 'local' || request.headers.has('authorization')) return undefined;
  const found = await foundIn(rules, request);
  if (found === undefined) return undefined;
  await rules.accessControl.renewBrowser(found.value, LIFE_MS.local);
  return writeCookie(request, found.value, LIFE_MS.local);
}

export async function byBrowser(rules: KnownRules, request: Request): Promise<Caller | undefined> {
  const found = await foundIn(rules, request);
  if (found === undefined) return undefined;
  const { grant, browserId } = found;
  if (grant.kind === 'token') return { kind: 'token', tokenId: grant.tokenId, browserId };
  return rules.mode === 'local' ? { kind: 'local' } : { kind: 'owner', browserId };
}

async function foundIn(rules: KnownRules, request: Request) {
  const values = readCookies(request);
  if (values.length === 0) return undefined;
  const found = await rules.accessControl.grantsOfBrowsers(values);
  const mark = await ownerMark(rules);
  // Another owner's token since then: what was signed in with the old one is over.
  return found.find(({ grant }) => grant.kind === 'token' || grant.mark === mark);
}

function configured(rules: AuthRules): KnownRules {
  if (rules.mode !== 'unconfigured') return rules;
  return fail(
    'not-configured',
    'This server does not know whom to let in.',
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
 * Of the caller, as the runtime knows it. Cloudflare names it in a header, which it lets no client set; workerd alone says it in
 * `cf`. There the header is the client's own: who wrote another address into each request would guess without a limit.
 */
export function addressOf({ cf, headers }: Request): string {
  const known: Record<string, unknown> = { ...cf };
  // With its port, which each connection has another of.
  if (typeof known.clientIp === 'string')
    return known.clientIp.replace(/^(\[.*\]|[\d.]+):\d+$/, '$1');
  const isAtCloudflare = known.colo !== undefined;
  return (isAtCloudflare ? headers.get('cf-connecting-ip') : null) ?? 'unknown';
}
