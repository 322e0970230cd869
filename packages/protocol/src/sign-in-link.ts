/**
 * A single-use link that signs one browser in. The code is in the fragment: it reaches no server log, no proxy and no Referer
 * header, and a program that only fetches the page (a prefetch, a link preview) does not consume it.
 */
const FRAGMENT = '#sign-in=';

/** `pageUrl` is any page of the web app; the browser shows it after signing in. */
export const signInUrl = (pageUrl: string, code: string): string => `${pageUrl}${FRAGMENT}${code}`;

/** The code in `location.hash`; undefined without one. */
export const signInCode = (hash: string): string | undefined =>
  hash.startsWith(FRAGMENT) ? hash.slice(FRAGMENT.length) : undefined;
