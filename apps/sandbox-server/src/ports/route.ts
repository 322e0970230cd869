/** Routes a request on the shared port: to the API, a port of a sandbox, or a signed file URL. */
import { SANDBOX_ID_PATTERN } from '../lifecycle/ids.ts';

export const ENVD_PORT = 49983;

export type Route =
  | { kind: 'api' }
  | { kind: 'sandbox'; id: string; port: number }
  | { kind: 'signed' }
  | { kind: 'invalid'; message: string };

interface RoutedRequest {
  host: string | undefined;
  sandboxIdHeader: string | undefined;
  sandboxPortHeader: string | undefined;
  url: string;
}

function parsePort(text: string): number | undefined {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

const withoutPort = (host: string): string => host.replace(/:[0-9]+$/, '');

/** `PORT-ID.<domain>`. The id is case-sensitive, the domain is not. */
function parseHostName(host: string, domain: string): { port: string; id: string } | undefined {
  const name = withoutPort(host);
  const dot = name.indexOf('.');
  if (dot === -1 || name.slice(dot + 1).toLowerCase() !== withoutPort(domain).toLowerCase()) {
    return undefined;
  }
  const match = /^([0-9]+)-(.+)$/.exec(name.slice(0, dot));
  return match === null ? undefined : { port: match[1] ?? '', id: match[2] ?? '' };
}

export function routeOf(request: RoutedRequest, domain: string): Route {
  const named = request.host === undefined ? undefined : parseHostName(request.host, domain);
  const id = named?.id ?? request.sandboxIdHeader;
  if (id !== undefined) {
    const port = parsePort(named?.port ?? request.sandboxPortHeader ?? String(ENVD_PORT));
    if (port === undefined)
      return { kind: 'invalid', message: 'The sandbox port is not a port number.' };
    if (!SANDBOX_ID_PATTERN.test(id))
      return { kind: 'invalid', message: 'The sandbox id is malformed.' };
    return { kind: 'sandbox', id, port };
  }
  const [path = '', query = ''] = request.url.split('?', 2);
  if (path === '/files' && /(?:^|&)signature=/.test(query)) return { kind: 'signed' };
  return { kind: 'api' };
}

/** The server's internal calls to envd; from outside, anyone could change a sandbox's token and settings with them. */
export function isInternalEnvdPath(url: string): boolean {
  try {
    // Normalized as envd does it, including dot segments.
    const { pathname } = new URL(url, 'http://envd');
    return decodeURIComponent(pathname).toLowerCase().replace(/\/+$/, '') === '/init';
  } catch {
    // Unparsable: envd cannot match it to one of its paths either.
    return false;
  }
}
