/**
 * A link that signs one browser in, once. The code is in the fragment: it reaches no server log, no proxy and no Referer, and
 * a program that only fetches the page (a prefetch, a link preview) does not use it up.
 */
const FRAGMENT = '#sign-in=';

/** Any page of the web app will do: it is shown after signing in. */
export const signInUrl = (pageUrl: string, code: string): string => `${pageUrl}${FRAGMENT}${code}`;

/** Of `location.hash`; undefined when it is none of ours. */
export const signInCode = (hash: string): string | undefined =>
  hash.startsWith(FRAGMENT) ? hash.slice(FRAGMENT.length) : undefined;
