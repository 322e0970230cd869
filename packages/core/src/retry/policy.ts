import type { ErrorCategory } from '@ship/protocol';

export interface RetryPolicy {
  /** Consecutive attempts without progress. */
  maxAttempts: number;
  /** All attempts of one turn, with or without progress: each costs a model call. */
  maxTotalAttempts: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 5,
  maxTotalAttempts: 8,
  baseDelayMs: 1_000,
  maxDelayMs: 60_000,
};

/**
 * When to retry after attempt number `attempt` failed; undefined means no automatic retry.
 * Exponential backoff with full jitter: without jitter, sessions that failed together would all retry together.
 */
export function nextRetry(
  category: ErrorCategory,
  attempt: number,
  jitter: number,
  policy: RetryPolicy,
): { delayMs: number } | undefined {
  if (category !== 'transient' || attempt >= policy.maxAttempts) return undefined;
  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return { delayMs: Math.round(ceilingMs * jitter) };
}
