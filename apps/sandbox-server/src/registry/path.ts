/**
 * A request's path, as segments that are decoded once and contain no separator. Undefined for everything
 * that two parsers could interpret differently. Pure.
 */
const PLAIN = /^\/[\x21-\x7e]*$/;
const MAX_PATH_CHARS = 2_048;

export function parsePath(url: string): string[] | undefined {
  if (url.length > MAX_PATH_CHARS || !PLAIN.test(url) || /[#\\]/.test(url)) return undefined;
  const [path = ''] = url.split('?', 1);
  // npm encodes the name of a scoped package as one segment.
  const unscoped = path.replaceAll(/\/(@[^/%]+)%2f/gi, '/$1/');
  const parts = unscoped.slice(1).split('/');
  if (parts.at(-1) === '') parts.pop();
  const segments: string[] = [];
  for (const part of parts) {
    const segment = decoded(part);
    if (segment === undefined || !isSafe(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function isSafe(segment: string): boolean {
  if (segment === '' || /^\.\.?(?:;|$)/.test(segment)) return false;
  // A remaining `%` was escaped twice: a later server might decode it again.
  return !/[/\\%\p{Cc}]/u.test(segment);
}

/** Always below the base URL, for any content of the segments. */
export function urlBelow(base: URL, segments: readonly string[], ending = ''): URL {
  return new URL(`${segments.map(encodeURIComponent).join('/')}${ending}`, base);
}
