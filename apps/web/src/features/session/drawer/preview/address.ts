export interface PortAddress {
  readonly port: number;
  readonly path: string;
}

/** Matches a whole address as dev servers print it, `:8080/x`, `8080`, or a path. */
const pattern =
  /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])?(?::?(\d{1,5}))?(?=$|[/?#])(.*)$/i;

/** Parses typed text into a port and a path in the sandbox; null if invalid. */
export function readAddress(typed: string, now: PortAddress): PortAddress | null {
  const match = pattern.exec(typed.trim());
  if (match === null) return null;
  const [, given, rest = ''] = match;
  const port = given === undefined ? now.port : Number(given);
  if (port < 1 || port > 65_535) return null;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  // Paths have no spaces or control characters, and two slashes would name another host.
  return /^\/(?![/\\])[^\0-\x20]*$/.test(path) ? { port, path } : null;
}

/** The same page under the host name that can frame sandbox ports. */
export function framingPage(framedBy: string, page: string): string {
  const { pathname, search } = new URL(page);
  return `${framedBy}${pathname}${search}`;
}
