export interface Backoff {
  baseDelayMs: number;
  maxDelayMs: number;
}

/**
 * How long to wait after failure number `failures` (from 1). Random between zero and a ceiling that doubles: clients that
 * lost a server together must not all come back at once.
 */
export function backoffDelayMs(failures: number, random: number, backoff: Backoff): number {
  const ceilingMs = Math.min(backoff.maxDelayMs, backoff.baseDelayMs * 2 ** (failures - 1));
  return Math.round(ceilingMs * random);
}
