import { queryOptions } from '@tanstack/react-query';
import { ShipFailure } from '@ship/protocol';
import { loadSignInApi } from '../../api/load.ts';

/** The signed-in identity of this browser. Refetched whenever the server refuses a request. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => (await loadSignInApi()).readMe(signal),
  staleTime: Infinity,
  // The live connection asks again when it returns; while this query is pending, that connection is closed.
  refetchInterval: false,
});

/** An unreachable server is not a sign-out: the session may still be valid. */
export const isSignedOut = (cause: unknown): boolean =>
  cause instanceof ShipFailure && cause.error.code === 'unauthenticated';
