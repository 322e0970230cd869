/**
 * Whether a registry's address may contain a secret. Some services put a read token into the path of the registry, or sign
 * file addresses by their query. A false positive costs a name in a lock file, a false negative the token. Pure.
 */
const MIN_TOKEN_CHARS = 16;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TOKEN_PREFIX = /^(?:npm|gh[a-z]|github_pat|glpat|pat|key|tok|token|secret)[-_][A-Za-z0-9]{8}/;

export function mayContainSecret(url: URL): boolean {
  return hasQuerySecret(url) || url.pathname.split('/').some(looksLikeToken);
}

export const hasQuerySecret = ({ username, password, search }: URL): boolean =>
  `${username}${password}${search}` !== '';

function looksLikeToken(segment: string): boolean {
  if (UUID.test(segment) || TOKEN_PREFIX.test(segment) || /[:;=]|%3a|%3b|%3d/i.test(segment))
    return true;
  if (segment.split(/[^A-Za-z0-9]+/).some(isRandom)) return true;
  // base64url, whose `-` and `_` split it into short pieces.
  return (
    segment.length >= MIN_TOKEN_CHARS &&
    [/[a-z]/, /[A-Z]/, /[0-9]/].every((kind) => kind.test(segment))
  );
}

/** Long, and not a word of one case. */
const isRandom = (run: string): boolean =>
  run.length >= MIN_TOKEN_CHARS && !/^[A-Z]?[a-z]+$|^[A-Z]+$/.test(run);
