export interface Place {
  readonly port: number;
  readonly path: string;
}

/** A whole address as dev servers print it, `:8080/x`, `8080`, or a path alone. */
const pattern =
  /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])?(?::?(\d{1,5}))?(?=$|[/?#])(.*)$/i;

/** What somebody typed, taken for a place in the sandbox; null when it cannot be one. */
export function readAddress(typed: string, now: Place): Place | null {
  const match = pattern.exec(typed.trim());
  if (match === null) return null;
  const [, given, rest = ''] = match;
  const port = given === undefined ? now.port : Number(given);
  if (port < 1 || port > 65_535) return null;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  // Spaces and controls have no place in a path, and two slashes would name another host.
  return /^\/(?![/\\])[^\0-\x20]*$/.test(path) ? { port, path } : null;
}

/** The same page under the name that can show ports of sandboxes. */
export function framingPage(framedBy: string, page: string): string {
  const { pathname, search } = new URL(page);
  return `${framedBy}${pathname}${search}`;
}
