import type { ProviderRetryReason } from '@ship/protocol';
import { redactError } from '../../platform/redact.ts';

const MAX_CHARS = 300;

/**
 * OpenCode gives a sentence and no status. The kind only selects the text for people, so deriving it from a sentence is safe
 * here; `classify`, which never reads messages, decides about retries and turn outcomes.
 */
const KINDS: readonly (readonly [RegExp, ProviderRetryReason['kind']])[] = [
  [/rate.?limit|too many requests|\b429\b|quota/i, 'rate-limited'],
  [/timed? ?out|in time|\b(408|504)\b/i, 'timed-out'],
  [/(cannot|not) be reached|not reachable|connect|ECONN\w+|ENOTFOUND|EAI_AGAIN/i, 'unreachable'],
  [
    /overload|unavailable|server error|server_error|server had an error|bad gateway|\b5\d\d\b/i,
    'unavailable',
  ],
];

/** Null when the agent gives no reason. The text comes from a provider through a sandbox: neither is trusted. */
export function retryReason(message: string): ProviderRetryReason | null {
  // Masked before it is truncated: half a key would no longer look like one.
  const text = oneLine(redactError(oneLine(textOf(message)), []));
  if (text === '') return null;
  const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
  const isLong = text.length > MAX_CHARS;
  return {
    kind,
    message: isLong ? `${text.slice(0, MAX_CHARS - 1).toWellFormed()}…` : text,
  };
}

/** For an error inside a stream, OpenCode passes on the provider's JSON. */
function textOf(message: string): string {
  if (!message.startsWith('{')) return message;
  try {
    const { message: text, error } = JSON.parse(message) as Record<string, unknown>;
    const inner =
      typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : text;
    return typeof inner === 'string' ? inner : message;
  } catch {
    return message;
  }
}

/** Without control characters and marks that reorder text. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
