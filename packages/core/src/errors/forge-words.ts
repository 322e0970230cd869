import { withoutEscapes } from '../verify/escapes.ts';

/**
 * What a forge itself says, made fit to be shown: one line without control characters, addresses with credentials or tokens,
 * and no longer than a person reads. A forge may quote what was sent to it, and its hooks print whatever they like.
 */
const MAX_WORDS = 300;

const SECRETS =
  /\b(?:gh[a-z]_|github_pat_|glpat-|shipcap_|xox[a-z]-)[\w.-]+|\b(?:bearer|token|basic)\s+[\w.~+/=-]{16,}/gi;
/** All that is not visible, and what turns the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu;

export function forgeWords(text: string, max = MAX_WORDS): string {
  const line = withoutEscapes(text.slice(0, 20_000), ' ')
    .replaceAll(/\b(https?:\/\/)[^\s/@]*@/gi, '$1')
    .replaceAll(SECRETS, '(secret)')
    .replaceAll(INVISIBLE, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`;
}

/** `remote: …` lines of git: the words of the forge and of its hooks. Frames and empty lines say nothing. */
export function remoteWords(stderr: string): string {
  const said = stderr
    .split(/[\r\n]+/)
    .flatMap((line) => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []))
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .map((line) => line.replace(/^(?:error|fatal):\s*/i, ''));
  return forgeWords([...new Set(said)].join(' '));
}

/** The words as the end of a sentence of ours. */
export function saying(words: string): string {
  return words === '' ? '.' : `: ${words}${/[.!?…]$/.test(words) ? '' : '.'}`;
}
