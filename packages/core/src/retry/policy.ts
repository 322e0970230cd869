import type { ErrorCategory } from '@ship/protocol';

export interface RetryPolicy {
  /** Attempts in a row without progress. */
  maxAttempts: number;
  /** Attempts of one turn in all, whatever progress they made: each of them costs a model call. */
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
 * When to try again after attempt number `attempt` failed; undefined means "not by itself".
 * Exponential with full jitter: without it, sessions that failed together would all come back together.
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
