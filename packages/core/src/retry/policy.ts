import type { ErrorCategory } from '@ship/protocol';

export interface RetryPolicy {
  maxAttempts: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 5,
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
