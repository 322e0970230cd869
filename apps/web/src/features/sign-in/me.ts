import { queryOptions } from '@tanstack/react-query';
import { ShipFailure } from '@ship/protocol';
import { loadSignInApi } from '../../api/load.ts';

/** As whom the server knows this browser. Asked again whenever it refuses something. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => (await loadSignInApi()).readMe(signal),
  staleTime: Infinity,
  // The live connection asks again when it returns; while this query is pending, that connection is closed.
  refetchInterval: false,
});

/** A server that is away is another matter: it may know us when it is back. */
export const isSignedOut = (cause: unknown): boolean =>
  cause instanceof ShipFailure && cause.error.code === 'unauthenticated';
