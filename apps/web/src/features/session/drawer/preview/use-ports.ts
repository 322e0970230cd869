import { useQuery } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { loadPortsApi } from '../../../../api/load.ts';

const pollIntervalMs = 3000;

/** Polls the open ports of the sandbox while the pane is shown. */
export function usePorts(sessionId: SessionId, isWanted: boolean) {
  return useQuery({
    queryKey: ['ports', sessionId],
    queryFn: async ({ signal }) => (await loadPortsApi()).readPorts(sessionId, signal),
    enabled: isWanted,
    refetchInterval: isWanted ? pollIntervalMs : false,
  });
}
