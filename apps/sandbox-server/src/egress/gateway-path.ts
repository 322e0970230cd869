/**
 * The path that a sandbox's request takes on the control plane, or why it takes none. Everything below one prefix is
 * reachable and nothing beside it, whatever the next parser makes of dots, slashes and escapes.
 */
export type GatewayPath = { path: string } | { refused: string };

/** Escapes of `.`, `/`, `\`, `%` and control characters: some parser further on might undo them once more. */
const UNSAFE_ESCAPE = /%(?:2e|2f|5c|25|0[0-9a-f]|1[0-9a-f]|7f)/i;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const PLAIN = /^[\x21-\x7e]+$/;

export function gatewayPath(prefix: string, url: string): GatewayPath {
  if (url.length > 8_192) return { refused: 'the path is too long' };
  if (!url.startsWith('/')) return { refused: 'only a path is accepted here, not a full URL' };
  if (!PLAIN.test(url) || url.includes('#'))
    return { refused: 'the path has characters that do not belong in one' };
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark);
  if (path.includes('\\') || path.includes('//'))
    return { refused: 'the path has an empty or reversed segment' };
  if (BROKEN_ESCAPE.test(path) || UNSAFE_ESCAPE.test(path))
    return { refused: 'the path has an unsafe escape' };
  // `;` starts a path parameter for some servers: `/..;/x` climbs there.
  if (path.split('/').some((segment) => /^\.\.?(?:;|$)/.test(segment))) {
    return { refused: 'the path climbs' };
  }
  const inside = path === prefix || path.startsWith(`${prefix}/`);
  return { path: `${inside ? path : `${prefix}${path}`}${query}` };
}
