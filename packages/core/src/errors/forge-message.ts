import { withoutEscapes } from '../verify/escapes.ts';

/**
 * Sanitizes a forge's message for display: one short line without control characters, credentials in URLs, or tokens. A forge
 * may echo what was sent to it, and its hooks may print anything.
 */
const MAX_WORDS = 300;

const SECRETS =
  /\b(?:gh[a-z]_|github_pat_|glpat-|shipcap_|xox[a-z]-)[\w.-]+|\b(?:bearer|token|basic)\s+[\w.~+/=-]{16,}/gi;
/** Invisible characters, and those that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu;

export function sanitizeForgeMessage(text: string, max = MAX_WORDS): string {
  const line = withoutEscapes(text.slice(0, 20_000), ' ')
    .replaceAll(/\b(https?:\/\/)[^\s/@]*@/gi, '$1')
    .replaceAll(SECRETS, '(secret)')
    .replaceAll(INVISIBLE, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`;
}

/** The forge's and its hooks' messages in git's `remote: …` lines, without frames and empty lines. */
export function remoteMessage(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .flatMap((line) => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []))
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .map((line) => line.replace(/^(?:error|fatal):\s*/i, ''));
  return sanitizeForgeMessage([...new Set(lines)].join(' '));
}

/** The forge's message as the end of a sentence. */
export function saying(words: string): string {
  return words === '' ? '.' : `: ${words}${/[.!?…]$/.test(words) ? '' : '.'}`;
}
