/** The rate-limit information in a forge's response. */
export interface ForgeAnswer {
  status: number;
  retryAfterSeconds: number | null;
  rateLimitRemaining: number | null;
  /** Seconds since 1970. */
  rateLimitReset: number | null;
  /** GitHub's "secondary rate limit" responses may have no header. */
  saysRateLimited: boolean;
}

const MAX_ATTEMPTS = 4;
/** For a secondary limit without a stated end: GitHub requires at least a minute. */
const UNSPECIFIED_WAIT_MS = 60_000;
const SERVER_ERROR_WAIT_MS = 500;

export type ForgeVerdict =
  | { kind: 'final' }
  | { kind: 'rate-limited'; delayMs: number }
  | { kind: 'retry'; delayMs: number };

/**
 * Decides whether to retry after a response. A rate-limited request was not carried out, so even a write may be repeated; after
 * a server error only a read may.
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
    return { kind: 'rate-limited', delayMs: UNSPECIFIED_WAIT_MS };
  }
  if (status >= 500 && isRead && attempt < MAX_ATTEMPTS)
    return { kind: 'retry', delayMs: SERVER_ERROR_WAIT_MS * 2 ** (attempt - 1) };
  return { kind: 'final' };
}
