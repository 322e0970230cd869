import { ApiError } from './errors.ts';

/**
 * Any web page that the user visits can send requests to loopback. An unknown Host means DNS rebinding, a foreign Origin
 * means a cross-site request; git and Octokit send neither.
 */
export function checkSource(
  headers: { host?: string | undefined; origin?: string | undefined; site?: string | undefined },
  allowedHosts: ReadonlySet<string>,
): void {
  const name = hostName(headers.host ?? '');
  if (name === undefined || !allowedHosts.has(name))
    throw new ApiError(403, 'This forge does not accept requests for that host name.');
  const crossSite = headers.site === 'cross-site' || headers.site === 'same-site';
  if (crossSite || (headers.origin !== undefined && originName(headers.origin) !== headers.host))
    throw new ApiError(403, 'Requests from other web pages are refused.');
}

function hostName(host: string): string | undefined {
  return /^(\[[0-9a-f:]+\]|[^:/?#@\s]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase();
}

function originName(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

export function allowedHostNames(host: string, extra: readonly string[]): Set<string> {
  const names = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    host.includes(':') ? `[${host}]` : host,
    ...extra,
  ];
  return new Set(names.map((name) => name.toLowerCase()));
}
