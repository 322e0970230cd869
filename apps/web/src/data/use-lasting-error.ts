import { useState } from 'react';

interface Read {
  readonly data: unknown;
  readonly error: Error | null;
}

/**
 * The reason why there is still no data. A query clears its error on each refetch; without this hook the failure would flicker with
 * every attempt.
 */
export function useLastingError({ data, error }: Read): Error | null {
  const [last, setLast] = useState<Error | null>(null);
  const lasting = data === undefined ? (error ?? last) : null;
  if (lasting !== last) setLast(lasting);
  return lasting;
}
