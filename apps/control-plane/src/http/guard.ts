import { fail } from '@ship/protocol';
import type { MiddlewareHandler } from 'hono';
import type { AuthRules } from './auth/authenticate.ts';
import { type CalledAs, calledAs } from './called-as.ts';

export interface HostRules {
  /** Under which the web app and the API are reached. */
  names: ReadonlySet<string>;
  /**
   * Below which ports of sandboxes have their names. Another site than the app to a browser: pages of a sandbox can then neither
   * plant cookies for the app's name nor clear its data. Undefined: below the app's own name.
   */
  previewHost: string | undefined;
}

export function allowedHosts(list: string, previewHost?: string | null): HostRules {
  const names = list.split(',').map((name) => name.trim().toLowerCase());
  const preview = previewHost?.trim().toLowerCase() || undefined;
  return {
    // The app is never served where sandboxes are.
    names: new Set(names.filter((name) => name !== '' && name !== preview)),
    previewHost: preview,
  };
}

/** Without a login only this machine may be answered, whatever the list says. */
export function within(mode: AuthRules['mode'], hosts: HostRules): HostRules {
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
 * A page on the internet can make a browser call `http://evil.example:4400` after pointing that name at 127.0.0.1
 * (DNS rebinding), or post a form to us. The name that was called, and the page that called, must both be ours.
 */
export function refuseForeignHosts({ names }: HostRules): MiddlewareHandler {
  return async (c, next) => {
    const url = calledAs(c.req.url);
    if (!names.has(url.hostname)) {
      fail(
        'origin-refused',
        `This server does not answer to the name ${url.hostname}.`,
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
 * A browser adds our cookie to requests that other pages make. Pages of sandboxes are on names below ours, which
 * SameSite takes for the same site. So whatever changes something, or opens a socket, must name our own page as its
 * origin, and whatever a browser says to come from elsewhere is refused. For callers that are known by a cookie.
 */
export function requireOwnPage(request: Request): void {
  const url = calledAs(request.url);
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') refuseOrigin('another site', url);
  const origin = request.headers.get('origin');
  const opensSocket = request.headers.get('upgrade')?.toLowerCase() === 'websocket';
  if (origin !== url.origin && (opensSocket || !SAFE_METHODS.has(request.method)))
    refuseOrigin(origin ?? 'unknown origin', url);
}

function refuseOrigin(origin: string, url: CalledAs): never {
  return fail(
    'origin-refused',
    `A page of ${origin} may not call this server.`,
    `Open ${url.origin} itself.`,
  );
}
