import { fail } from '@ship/protocol';
import type { MiddlewareHandler } from 'hono';
import { sameSecret } from '../../platform/bytes.ts';
import type { ApiEnv } from '../endpoint.ts';
import { requireOwnPage } from '../guard.ts';
import { byBrowser } from './browser.ts';
import type { Caller } from './caller.ts';
import type { Entrance } from './entrance.ts';
import { hasPageCookie } from './page-cookie.ts';

/**
 * - local: one user, on loopback. The CLI has a token from the data folder, the page a cookie.
 * - team: everybody needs an API token, and a browser signs in with one. The first is made with the owner's token, a
 *   secret of the deployment.
 */
export type AuthRules = LocalRules | TeamRules | { mode: 'unconfigured' };

interface LocalRules {
  mode: 'local';
  localToken: string;
  entrance: Entrance;
}

export interface TeamRules {
  mode: 'team';
  ownerToken: string | undefined;
  entrance: Entrance;
}

/** As workerd gives it when the variable is not set: null. */
type Binding = string | null | undefined;

/** A person chose it: one that can be guessed is no better than none. */
const MIN_OWNER_TOKEN_LENGTH = 32;

/** A webhook has no login: its route checks the signature of the bytes, and refuses like this one. So does signing in. */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  '/api/health',
  '/api/hooks/github',
  '/api/sign-in',
]);

/** Anything but a mode that is known and complete lets nobody in. */
export function authRules(
  mode: string | null | undefined,
  { localToken, ownerToken }: { localToken?: Binding; ownerToken?: Binding },
  entrance: Entrance,
): AuthRules {
  if (mode === 'team') {
    const usable = ownerToken && ownerToken.length >= MIN_OWNER_TOKEN_LENGTH;
    return { mode, ownerToken: usable ? ownerToken : undefined, entrance };
  }
  if (mode === 'local' && localToken) return { mode, localToken, entrance };
  return { mode: 'unconfigured' };
}

export function authenticate(rules: AuthRules): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const open = OPEN_PATHS.has(c.req.path);
    c.set('caller', open ? { kind: 'anybody' } : await identify(rules, c.req.raw));
    await next();
  };
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
  if (authorization !== null) return (await byBearer(rules, authorization)) ?? refuse(rules, true);
  if (rules.mode === 'local' && (await hasPageCookie(rules.localToken, request))) {
    requireOwnPage(request);
    return { kind: 'local' };
  }
  const browser = rules.mode === 'team' ? await byBrowser(rules, request) : undefined;
  if (browser === undefined) return refuse(rules, false);
  requireOwnPage(request);
  return browser;
}

async function byBearer(
  rules: LocalRules | TeamRules,
  authorization: string,
): Promise<Caller | undefined> {
  const value = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1];
  if (value === undefined) return undefined;
  const mine = rules.mode === 'local' ? rules.localToken : rules.ownerToken;
  if (mine !== undefined && sameSecret(value, mine))
    return { kind: rules.mode === 'local' ? 'local' : 'owner' };
  const tokenId = await rules.entrance.verifyToken(value);
  return tokenId === null ? undefined : { kind: 'token', tokenId };
}

function refuse({ mode }: AuthRules, tried: boolean): never {
  const message = tried ? 'This token is not valid, or it was revoked.' : 'You are not signed in.';
  return fail(
    'unauthenticated',
    message,
    mode === 'local'
      ? 'In a browser reload the page. In a program send `Authorization: Bearer` with the content of secrets/local-token in the data folder, or an API token.'
      : 'In a browser sign in. In a program send `Authorization: Bearer` with an API token. Whoever deployed this server makes the first with its OWNER_TOKEN: POST /api/tokens.',
  );
}
