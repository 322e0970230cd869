export interface Backoff {
  baseDelayMs: number;
  maxDelayMs: number;
}

/**
 * Exponential backoff with full jitter after failure number `failures` (from 1): clients that lost a server together must not
 * all reconnect at once.
 */
export function backoffDelayMs(failures: number, random: number, backoff: Backoff): number {
  const ceilingMs = Math.min(backoff.maxDelayMs, backoff.baseDelayMs * 2 ** (failures - 1));
  return Math.round(ceilingMs * random);
}
