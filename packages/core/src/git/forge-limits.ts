/** What an answer of a forge says about waiting; header names in lower case. */
export interface ForgeAnswer {
  status: number;
  retryAfterSeconds: number | null;
  rateLimitRemaining: number | null;
  /** Seconds since 1970. */
  rateLimitReset: number | null;
  /** "secondary rate limit" answers of GitHub can come without any header. */
  saysRateLimited: boolean;
}

const MAX_ATTEMPTS = 4;
/** A secondary limit without a word about its end: GitHub asks for at least a minute. */
const UNSAID_WAIT_MS = 60_000;
const SERVER_ERROR_WAIT_MS = 500;

export type ForgeVerdict =
  | { kind: 'final' }
  | { kind: 'rate-limited'; delayMs: number }
  | { kind: 'retry'; delayMs: number };

/**
 * What to do after an answer. A limit means that the request was not carried out, so even one that changes something may
 * be repeated; after a server error only one that changes nothing may.
 */
export function afterForgeAnswer(
  answer: ForgeAnswer,
  { attempt, nowMs, isRead }: { attempt: number; nowMs: number; isRead: boolean },
): ForgeVerdict {
  const { status, retryAfterSeconds, rateLimitRemaining, rateLimitReset } = answer;
  const isExhausted = rateLimitRemaining === 0 && rateLimitReset !== null;
  const isLimit =
    status === 429 ||
    (status === 403 && (retryAfterSeconds !== null || isExhausted || answer.saysRateLimited));
  if (isLimit) {
    if (retryAfterSeconds !== null)
      return { kind: 'rate-limited', delayMs: Math.max(0, retryAfterSeconds) * 1_000 };
    if (isExhausted)
      return { kind: 'rate-limited', delayMs: Math.max(0, rateLimitReset * 1_000 - nowMs) + 1_000 };
    return { kind: 'rate-limited', delayMs: UNSAID_WAIT_MS };
  }
  if (status >= 500 && isRead && attempt < MAX_ATTEMPTS)
    return { kind: 'retry', delayMs: SERVER_ERROR_WAIT_MS * 2 ** (attempt - 1) };
  return { kind: 'final' };
}
