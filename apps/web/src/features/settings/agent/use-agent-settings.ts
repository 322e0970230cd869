import { useQueryClient } from '@tanstack/react-query';
import type { AgentSettings, Settings } from '@ship/protocol';
import { loadApi } from '../../../api/load.ts';
import { settingsQuery } from '../../../data/queries.ts';
import { useAction } from '../../../data/use-action.ts';

/** A change of what agents are given, made to what is there now: somebody else may have added to it meanwhile. */
export type AgentChange = (agent: AgentSettings) => Partial<AgentSettings>;

export function useAgentSettings(onDone?: () => void) {
  const client = useQueryClient();
  return useAction(
    async (change: AgentChange) => {
      const { agent }: Settings = await client.ensureQueryData(settingsQuery);
      return (await loadApi()).patchSettings({ agent: change(agent) });
    },
    {
      isToldInPlace: onDone !== undefined,
      onDone: (saved) => {
        client.setQueryData(settingsQuery.queryKey, saved);
        onDone?.();
      },
    },
  );
}

/** With `next` in the place of the one called `name`, or at the end. */
export const put = <Named extends { name: string }>(
  all: readonly Named[],
  name: string | null,
  next: Named,
): Named[] => (name === null ? [...all, next] : all.map((one) => (one.name === name ? next : one)));

export const without = <Named extends { name: string }>(all: readonly Named[], name: string) =>
  all.filter((one) => one.name !== name);
