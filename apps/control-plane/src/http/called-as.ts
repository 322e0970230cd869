/** Under which name and port we were called. */
export interface CalledAs {
  /** With its colon. */
  protocol: string;
  hostname: string;
  /** Empty when it is the protocol's own. */
  port: string;
  origin: string;
}

let newest: { text: string; place: CalledAs } | undefined;

/**
 * Of an address, without its path. Nearly all requests of an installation come under the same name: parsing it again for
 * each, more than once, costs more than all the checks of it.
 */
export function calledAs(url: string): CalledAs {
  const end = url.indexOf('/', url.indexOf('://') + 3);
  const text = end === -1 ? url : url.slice(0, end);
  if (newest?.text !== text) {
    const { protocol, hostname, port, origin } = new URL(text);
    newest = { text, place: { protocol, hostname: hostname.toLowerCase(), port, origin } };
  }
  return newest.place;
}
