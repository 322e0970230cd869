import { ownerTokenWeakness } from '@ship/core/owner-token';
import { fail } from '@ship/protocol';
import type { MiddlewareHandler } from 'hono';
import { sameSecret } from '../../platform/bytes.ts';
import { log } from '../../platform/log.ts';
import type { ApiEnv } from '../endpoint.ts';
import { requireSameOrigin } from '../guard.ts';
import { addressOf, byBrowser } from './browser.ts';
import type { Caller } from './caller.ts';
import type { AccessControl } from './access-control.ts';

/**
 * - local: one user, on loopback. The CLI has a token from the data folder, and makes links that sign a browser in.
 * - team: everybody needs an API token, and a browser signs in with one. The first is made with the owner's token, a
 *   secret of the deployment.
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

/** As workerd gives it when the variable is not set: null. */
type Binding = string | null | undefined;

/** A webhook has no login: its route checks the signature of the bytes, and refuses like this one. So does signing in. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/api/hooks/github', '/api/sign-in']);
/** Answers everybody, and tells more to those who are known. */
const HEALTH_PATH = '/api/health';

/** Anything but a mode that is known and complete lets nobody in. */
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

/** A person may have chosen it: one that can be guessed is no better than none. */
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
      'This server does not know whom to let in.',
      'On one machine start it with `ship up`. In the cloud set AUTH_MODE to team.',
    );
  }
  const authorization = request.headers.get('authorization');
  if (authorization !== null)
    return (await byBearer(rules, authorization, addressOf(request))) ?? refuse(rules, true);
  const browser = await byBrowser(rules, request);
  if (browser === undefined) return refuse(rules, false);
  requireSameOrigin(request);
  return browser;
}

async function byBearer(
  rules: KnownRules,
  authorization: string,
  address: string,
): Promise<Caller | undefined> {
  const { mode, accessControl } = rules;
  const value = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1] ?? '';
  // Never made to wait: on one machine all callers have one address, and any of them could keep the owner out.
  if (mode === 'local' && sameSecret(value, rules.localToken)) return { kind: 'local' };
  if (mode === 'team' && rules.ownerToken !== undefined && sameSecret(value, rules.ownerToken)) {
    // A person may have chosen it: guesses must not go on at full speed.
    waitFor(await accessControl.bearerWaitMs(address, false));
    return { kind: 'owner' };
  }
  const tokenId = value === '' ? null : await accessControl.verifyToken(value);
  if (tokenId !== null) return { kind: 'token', tokenId };
  waitFor(await accessControl.bearerWaitMs(address, true));
  return undefined;
}

function waitFor(waitMs: number): void {
  if (waitMs > 0)
    fail(
      'rate-limited',
      'Too many wrong tokens came from your address.',
      `Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
    );
}

function refuse({ mode }: AuthRules, tried: boolean): never {
  const message = tried ? 'This token is not valid, or it was revoked.' : 'You are not signed in.';
  return fail(
    'unauthenticated',
    message,
    mode === 'local'
      ? 'In a browser open the link that `npx --no-install ship open` prints. In a program send `Authorization: Bearer` with the content of secrets/local-token in the data folder, or an API token.'
      : 'In a browser sign in. In a program send `Authorization: Bearer` with an API token. Whoever deployed this server makes the first with its OWNER_TOKEN: POST /api/tokens.',
  );
}
