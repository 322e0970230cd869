/** Browsers in team mode: they bring a token once, and a cookie that is not the token from then on. */
import { fail } from '@ship/protocol';
import { sameSecret, sha256Hex } from '../../platform/bytes.ts';
import { requireOwnPage } from '../guard.ts';
import type { AuthRules, TeamRules } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { readCookies, writeCookie } from './cookie.ts';

/** What `toBase64Url` makes of 32 bytes; nothing else is worth asking for. */
const VALUE = /^[\w-]{43}$/;
const MARK_LENGTH = 16;

/** The cookie to set. */
export async function signIn(rules: AuthRules, request: Request, token: string): Promise<string> {
  if (rules.mode !== 'team')
    return fail(
      'not-configured',
      'This server has one user, who needs not sign in.',
      'Reload the page.',
    );
  requireOwnPage(request);
  const { ownerToken, entrance } = rules;
  const isOwner = ownerToken !== undefined && sameSecret(token, ownerToken);
  const value = await entrance.signIn(
    addressOf(request),
    isOwner ? { kind: 'owner', mark: await markOf(ownerToken) } : { kind: 'token', value: token },
  );
  return writeCookie(request, value);
}

/** The cookie that takes the other one away. */
export async function signOut(rules: AuthRules, request: Request): Promise<string> {
  if (rules.mode === 'team')
    await Promise.all(valuesOf(request).map((value) => rules.entrance.signOut(value)));
  return writeCookie(request, '');
}

export async function byBrowser(rules: TeamRules, request: Request): Promise<Caller | undefined> {
  for (const value of valuesOf(request)) {
    const grant = await rules.entrance.grantOfBrowser(value);
    if (grant?.kind === 'token') return { kind: 'token', tokenId: grant.tokenId };
    // Another owner's token since then: what was signed in with the old one is over.
    if (grant?.kind === 'owner' && grant.mark === (await ownerMark(rules)))
      return { kind: 'owner' };
  }
  return undefined;
}

const valuesOf = (request: Request) => readCookies(request).filter((value) => VALUE.test(value));

const ownerMark = async ({ ownerToken }: TeamRules) =>
  ownerToken === undefined ? undefined : markOf(ownerToken);

const markOf = async (ownerToken: string) =>
  (await sha256Hex(`ship owner mark v1 ${ownerToken}`)).slice(0, MARK_LENGTH);

/** Cloudflare says who called and lets nobody else say it; elsewhere all are one. */
const addressOf = (request: Request) => request.headers.get('cf-connecting-ip') ?? 'unknown';
