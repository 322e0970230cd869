import { useQuery } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { loadPortsApi } from '../../../../api/load.ts';

const lookEveryMs = 3000;

/** What listens in the sandbox, looked at again and again while somebody sees it. */
export function usePorts(sessionId: SessionId, isWanted: boolean) {
  return useQuery({
    queryKey: ['ports', sessionId],
    queryFn: async ({ signal }) => (await loadPortsApi()).readPorts(sessionId, signal),
    enabled: isWanted,
    refetchInterval: isWanted ? lookEveryMs : false,
  });
}
