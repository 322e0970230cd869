import { fail } from '@ship/protocol';
import type { MiddlewareHandler } from 'hono';

export interface HostRules {
  names: ReadonlySet<string>;
}

export function allowedHosts(list: string): HostRules {
  const names = list.split(',').map((name) => name.trim().toLowerCase());
  return { names: new Set(names.filter((name) => name !== '')) };
}

/**
 * A page on the internet can make a browser call `http://evil.example:4400` after pointing that name at 127.0.0.1
 * (DNS rebinding), or post a form to us. The name that was called, and the page that called, must both be ours.
 */
export function refuseForeignHosts({ names }: HostRules): MiddlewareHandler {
  return async (c, next) => {
    const url = new URL(c.req.url);
    if (!names.has(url.hostname.toLowerCase())) {
      fail(
        'origin-refused',
        `This server does not answer to the name ${url.hostname}.`,
        `Open it as ${url.protocol}//${[...names][0]}${url.port && `:${url.port}`}.`,
      );
    }
    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== url.origin) {
      fail(
        'origin-refused',
        `A page of ${origin} may not call this server.`,
        `Open ${url.origin} itself.`,
      );
    }
    await next();
  };
}
