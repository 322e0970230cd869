/**
 * Maps the path of a sandbox's request to the control plane, or refuses it. Everything below one prefix is
 * reachable and nothing else, however the next parser treats dots, slashes and escapes.
 */
type GatewayPath = { path: string } | { refused: string };

/** Escapes of `.`, `/`, `\`, `%` and control characters: a later parser might decode them again. */
const UNSAFE_ESCAPE = /%(?:2e|2f|5c|25|0[0-9a-f]|1[0-9a-f]|7f)/i;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const PLAIN = /^[\x21-\x7e]+$/;

export function gatewayPath(prefix: string, url: string): GatewayPath {
  if (url.length > 8_192) return { refused: 'the path is too long' };
  if (!url.startsWith('/')) return { refused: 'only a path is accepted here, not a full URL' };
  if (!PLAIN.test(url) || url.includes('#'))
    return { refused: 'the path contains invalid characters' };
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark);
  if (path.includes('\\') || path.includes('//'))
    return { refused: 'the path contains an empty segment or a backslash' };
  if (BROKEN_ESCAPE.test(path) || UNSAFE_ESCAPE.test(path))
    return { refused: 'the path contains an unsafe escape' };
  // `;` starts a path parameter on some servers: there, `/..;/x` leads to the parent.
  if (path.split('/').some((segment) => /^\.\.?(?:;|$)/.test(segment))) {
    return { refused: 'the path leads to a parent folder' };
  }
  const inside = path === prefix || path.startsWith(`${prefix}/`);
  return { path: `${inside ? path : `${prefix}${path}`}${query}` };
}
