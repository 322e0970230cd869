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

/** Frames of another site get neither cookies nor storage: the page must be opened under a name above the port's. */
export const canFrame = (url: string, pageHost: string): boolean =>
  new URL(url).hostname.endsWith(`.${pageHost}`);

/** The same page under the name that the port's is below. */
export function framingPage(url: string, page: string): string {
  const { hostname } = new URL(url);
  const better = new URL(page);
  better.hostname = hostname.slice(hostname.indexOf('.') + 1);
  return better.href;
}
