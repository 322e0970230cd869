import { useState } from 'react';

interface Read {
  readonly data: unknown;
  readonly error: Error | null;
}

/**
 * Why there is still no data. A query forgets its error when it is read again; shown as it is, the failure would disappear and
 * return with each attempt.
 */
export function useLastingError({ data, error }: Read): Error | null {
  const [last, setLast] = useState<Error | null>(null);
  const lasting = data === undefined ? (error ?? last) : null;
  if (lasting !== last) setLast(lasting);
  return lasting;
}
