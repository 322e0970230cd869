import { ownerTokenWeakness } from '@ship/core/owner-token';
import { fail } from '@ship/protocol';
import type { MiddlewareHandler } from 'hono';
import { sameSecret } from '../../platform/bytes.ts';
import { log } from '../../platform/log.ts';
import type { ApiEnv } from '../endpoint.ts';
import { requireSameOrigin } from '../guard.ts';
import { addressOf, callerOfBrowser } from './browser.ts';
import type { Caller } from './caller.ts';
import type { AccessControl } from './access-control.ts';

/**
 * - local: one user, on loopback. The CLI has a token from the data folder and creates links that sign a browser in.
 * - team: every caller needs an API token, and browsers sign in with one. The owner's token, a secret of the deployment,
 *   creates the first.
 */
export type AuthRules = KnownRules | { mode: 'unconfigured' };
export type KnownRules = LocalRules | TeamRules;

interface LocalRules {
  mode: 'local';
  localToken: string;
  accessControl: AccessControl;
}

interface TeamRules {
  mode: 'team';
  ownerToken: string | undefined;
  accessControl: AccessControl;
}

/** workerd gives null when the variable is not set. */
type Binding = string | null | undefined;

/** Paths that authenticate requests themselves: webhooks by signature, sign-in by token or link. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/api/hooks/github', '/api/sign-in']);
/** Open to everyone, with details only for authenticated callers. */
const HEALTH_PATH = '/api/health';

/** Fails closed: an unknown or incomplete mode rejects every caller. */
export function authRules(
  mode: string | null | undefined,
  { localToken, ownerToken }: { localToken?: Binding; ownerToken?: Binding },
  accessControl: AccessControl,
): AuthRules {
  if (mode === 'team') {
    return { mode, ownerToken: usableOwnerToken(ownerToken), accessControl };
  }
  if (mode === 'local' && localToken) return { mode, localToken, accessControl };
  return { mode: 'unconfigured' };
}

/** Ignores a weak owner token: people may choose it, and a guessable token is worse than none. */
function usableOwnerToken(token: Binding): string | undefined {
  if (!token) return undefined;
  const weakness = ownerTokenWeakness(token);
  if (weakness === undefined) return token;
  log('error', 'auth.owner-token-ignored', { reason: `OWNER_TOKEN ${weakness}` });
  return undefined;
}

export function authenticate(rules: AuthRules): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    c.set('caller', await callerOf(rules, c.req.path, c.req.raw));
    await next();
  };
}

async function callerOf(rules: AuthRules, path: string, request: Request): Promise<Caller> {
  if (OPEN_PATHS.has(path)) return { kind: 'anonymous' };
  const caller = identify(rules, request);
  return path === HEALTH_PATH ? caller.catch(() => ({ kind: 'anonymous' as const })) : caller;
}

async function identify(rules: AuthRules, request: Request): Promise<Caller> {
  if (rules.mode === 'unconfigured') {
    return fail(
      'not-configured',
      'This server has no valid authentication mode.',
      'On one machine start it with `ship up`. In the cloud set AUTH_MODE to team.',
    );
  }
  const authorization = request.headers.get('authorization');
  if (authorization !== null)
    return (await callerOfBearer(rules, authorization, addressOf(request))) ?? refuse(rules, true);
  const browser = await callerOfBrowser(rules, request);
  if (browser === undefined) return refuse(rules, false);
  requireSameOrigin(request);
  return browser;
}

async function callerOfBearer(
  rules: KnownRules,
  authorization: string,
  address: string,
): Promise<Caller | undefined> {
  const { mode, accessControl } = rules;
  const value = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1] ?? '';
  // Not rate-limited: on one machine all callers share one address, and any of them could lock the owner out.
  if (mode === 'local' && sameSecret(value, rules.localToken)) return { kind: 'local' };
  if (mode === 'team' && rules.ownerToken !== undefined && sameSecret(value, rules.ownerToken)) {
    // People may choose this token, so guessing it must be slow.
    rejectWhileBlocked(await accessControl.bearerWaitMs(address, false));
    return { kind: 'owner' };
  }
  const tokenId = value === '' ? null : await accessControl.verifyToken(value);
  if (tokenId !== null) return { kind: 'token', tokenId };
  rejectWhileBlocked(await accessControl.bearerWaitMs(address, true));
  return undefined;
}

function rejectWhileBlocked(waitMs: number): void {
  if (waitMs > 0)
    fail(
      'rate-limited',
      'Too many wrong tokens came from your address.',
      `Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
    );
}

function refuse({ mode }: AuthRules, hasToken: boolean): never {
  const message = hasToken
    ? 'This token is not valid, or it was revoked.'
    : 'You are not signed in.';
  return fail(
    'unauthenticated',
    message,
    mode === 'local'
      ? 'In a browser, open the link that `npx --no-install ship open` prints. In a program, send `Authorization: Bearer` with the content of secrets/local-token in the data folder, or an API token.'
      : 'In a browser, sign in. In a program, send `Authorization: Bearer` with an API token. The person who deployed this server creates the first one with its OWNER_TOKEN: POST /api/tokens.',
  );
}
