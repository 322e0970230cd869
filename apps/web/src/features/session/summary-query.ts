import { queryOptions } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { loadSessionApi } from '../../api/load.ts';

/** What lists show of the session; the live list keeps it new. */
export const summaryQuery = (sessionId: SessionId) =>
  queryOptions({
    queryKey: ['summary', sessionId],
    queryFn: async ({ signal }) =>
      (await (await loadSessionApi()).readSession(sessionId, signal)).summary,
    staleTime: Infinity,
  });
