import { ShipFailure } from '@ship/protocol';

const FIRST_RETRY_MS = 1_000;
const SLOWEST_RETRY_MS = 15_000;

interface Read {
  readonly state: { readonly error: unknown; readonly errorUpdateCount: number };
}

/**
 * Refetches a transiently failed read with backoff while a component observes it. A query retry would hide the failure until the
 * last attempt, and there is no last attempt.
 */
export function retryIntervalMs({ state: { error, errorUpdateCount } }: Read): number | false {
  if (!(error instanceof ShipFailure) || error.error.category !== 'transient') return false;
  return Math.min(FIRST_RETRY_MS * 2 ** (errorUpdateCount - 1), SLOWEST_RETRY_MS);
}

export const queryDefaults = {
  // The server may run on this machine, which the browser reaches even if it believes to be offline.
  networkMode: 'always',
  retry: false,
  refetchInterval: retryIntervalMs,
} as const;
