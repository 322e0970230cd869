import { ShipFailure } from '@ship/protocol';

const FIRST_RETRY_MS = 1_000;
const SLOWEST_RETRY_MS = 15_000;

interface Read {
  readonly state: { readonly error: unknown; readonly errorUpdateCount: number };
}

/**
 * A read that failed and may succeed later is repeated with backoff while something on the screen uses it. It is a refetch
 * and not a retry of the query: a retry would hide the failure until the last attempt, and there is no last one.
 */
export function retryIntervalMs({ state: { error, errorUpdateCount } }: Read): number | false {
  if (!(error instanceof ShipFailure) || error.error.category !== 'transient') return false;
  return Math.min(FIRST_RETRY_MS * 2 ** (errorUpdateCount - 1), SLOWEST_RETRY_MS);
}

export const queryDefaults = {
  // The server is this machine: a browser that believes itself offline can still reach it.
  networkMode: 'always',
  retry: false,
  refetchInterval: retryIntervalMs,
} as const;
