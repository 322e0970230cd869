import { queryOptions, useQuery } from '@tanstack/react-query';
import { ShipFailure } from '@ship/protocol';
import { unreachable } from '../../api/error.ts';
import { loadApi } from '../../api/load.ts';
import { lost, nextPollMs, reached } from './link.ts';
import type { Link } from './link.ts';

const linkQuery = queryOptions<Link>({
  queryKey: ['link'],
  // An unreachable server is a state to show, not an exception: `lost` keeps the last known health.
  queryFn: async ({ client, signal, queryKey }) => {
    try {
      const { getHealth } = await loadApi();
      return reached(await getHealth(signal), Date.now());
    } catch (cause) {
      if (signal.aborted) throw cause;
      const failure = cause instanceof ShipFailure ? cause : unreachable();
      return lost(client.getQueryData<Link>(queryKey), failure.error, Date.now());
    }
  },
  refetchInterval: ({ state }) => nextPollMs(state.data),
  refetchOnWindowFocus: 'always',
  structuralSharing: false,
});

export const useLink = () => useQuery(linkQuery);
