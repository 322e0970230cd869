import { fail } from '@ship/protocol';
import type { MiddlewareHandler } from 'hono';
import type { AuthRules } from './auth/authenticate.ts';
import { type RequestOrigin, requestOriginOf } from './request-origin.ts';

export interface HostRules {
  /** Host names of the web app and the API. */
  names: ReadonlySet<string>;
  /**
   * The parent domain of sandbox ports. It is a different site than the app to a browser: pages of a sandbox can then neither
   * set cookies for the app's host nor clear its data. Undefined: ports are below the app's host.
   */
  previewHost: string | undefined;
}

export function allowedHosts(list: string, previewHost?: string | null): HostRules {
  const names = list.split(',').map((name) => name.trim().toLowerCase());
  const preview = previewHost?.trim().toLowerCase() || undefined;
  return {
    // The app is never served on the host of sandboxes.
    names: new Set(names.filter((name) => name !== '' && name !== preview)),
    previewHost: preview,
  };
}

/** Local mode has no login, so it accepts only loopback hosts, even if others are configured. */
export function hostRulesFor(mode: AuthRules['mode'], hosts: HostRules): HostRules {
  return mode === 'local' ? loopbackOnly(hosts) : hosts;
}

const LOOPBACK = /^(([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const isLoopback = (name: string): boolean => LOOPBACK.test(name);

function loopbackOnly({ names, previewHost }: HostRules): HostRules {
  return {
    names: new Set([...names].filter(isLoopback)),
    previewHost: previewHost !== undefined && isLoopback(previewHost) ? previewHost : undefined,
  };
}

/**
 * Prevents DNS rebinding, where a page makes a browser call `http://evil.example:4400` after pointing that name at 127.0.0.1,
 * and cross-site form posts. Both the host and the origin must be Ship's.
 */
export function refuseForeignHosts({ names }: HostRules): MiddlewareHandler {
  return async (c, next) => {
    const url = requestOriginOf(c.req.url);
    if (!names.has(url.hostname)) {
      fail(
        'origin-refused',
        `This server does not serve the host name ${url.hostname}.`,
        `Open it as ${url.protocol}//${[...names][0]}${url.port && `:${url.port}`}.`,
      );
    }
    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== url.origin) refuseOrigin(origin, url);
    await next();
  };
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * CSRF check for callers with a cookie. Browsers add the cookie to requests of other pages too, and sandbox pages may be on
 * subdomains, which SameSite treats as the same site. So changes and sockets must have our origin, and cross-site requests
 * are refused.
 */
export function requireSameOrigin(request: Request): void {
  const url = requestOriginOf(request.url);
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') refuseOrigin('another site', url);
  const origin = request.headers.get('origin');
  const opensSocket = request.headers.get('upgrade')?.toLowerCase() === 'websocket';
  if (origin !== url.origin && (opensSocket || !SAFE_METHODS.has(request.method)))
    refuseOrigin(origin ?? 'unknown origin', url);
}

function refuseOrigin(origin: string, url: RequestOrigin): never {
  return fail(
    'origin-refused',
    `A page of ${origin} may not call this server.`,
    `Open ${url.origin} instead.`,
  );
}
