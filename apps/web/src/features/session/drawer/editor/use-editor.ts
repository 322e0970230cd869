import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { EditorView, SessionId } from '@ship/protocol';
import { useState } from 'react';
import { loadEditorApi } from '../../../../api/load.ts';

const pollIntervalMs = 1000;

/** Starts VS Code when the pane first opens, and again if it has ended; polls until it is ready or has failed. */
export function useEditor(sessionId: SessionId, isWanted: boolean) {
  const [round, setRound] = useState(0);
  const queryClient = useQueryClient();
  const queryKey = ['editor', sessionId, round];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const api = await loadEditorApi();
      const before = queryClient.getQueryData<EditorView>(queryKey);
      const mustStart = before === undefined || before.state === 'off';
      return mustStart ? api.openEditor(sessionId) : api.readEditor(sessionId, signal);
    },
    enabled: isWanted,
    gcTime: 0,
    retry: false,
    refetchInterval: ({ state }) =>
      state.data?.state === 'preparing' || state.data?.state === 'off' ? pollIntervalMs : false,
  });
  return { view: data, error, again: () => setRound((before) => before + 1) };
}
