import { useQuery } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { useState } from 'react';
import { loadSandboxApi } from '../../../../api/load.ts';
import { useAction } from '../../../../data/use-action.ts';
import { neighbour, nextName, sortedNames } from './tabs.ts';

/** The open terminals: running shells, and those opened here. */
export function useTabs(sessionId: SessionId, isReachable: boolean) {
  const [opened, setOpened] = useState<readonly string[] | null>(null);
  const [active, setActive] = useState<string | null>(null);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['terminals', sessionId, isReachable],
    queryFn: async ({ signal }) => (await loadSandboxApi()).listTerminals(sessionId, signal),
    enabled: opened === null && isReachable,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  // Only once: later the tabs belong to this browser.
  if (opened === null && data !== undefined) {
    const running = sortedNames(data.terminals.map(({ name }) => name));
    const names = running.length === 0 ? [nextName([])] : running;
    setOpened(names);
    setActive(names[0] ?? null);
  }
  const names = opened ?? [];
  const ending = useAction(async (name: string) => {
    await (await loadSandboxApi()).endTerminal(sessionId, name);
  });
  return {
    names,
    active,
    error,
    isFetching,
    refetch: () => void refetch(),
    show: setActive,
    add: () => {
      const name = nextName(names);
      setOpened(sortedNames([...names, name]));
      setActive(name);
    },
    close: (name: string) => {
      ending.mutate(name);
      const left = names.filter((one) => one !== name);
      const next = left.length === 0 ? [nextName([name])] : left;
      if (active === name) setActive(neighbour(names, name) ?? next[0] ?? null);
      setOpened(next);
    },
  };
}
