/** The origin under which Ship was called. */
export interface RequestOrigin {
  /** With its colon. */
  protocol: string;
  hostname: string;
  /** Empty for the protocol's default port. */
  port: string;
  origin: string;
}

let cached: { text: string; value: RequestOrigin } | undefined;

/**
 * Parses the origin of a URL and caches the cached: nearly all requests use the same one, and parsing it several times per
 * request costs more than all the checks of it.
 */
export function requestOriginOf(url: string): RequestOrigin {
  const end = url.indexOf('/', url.indexOf('://') + 3);
  const text = end === -1 ? url : url.slice(0, end);
  if (cached?.text !== text) {
    const { protocol, hostname, port, origin } = new URL(text);
    cached = { text, value: { protocol, hostname: hostname.toLowerCase(), port, origin } };
  }
  return cached.value;
}
