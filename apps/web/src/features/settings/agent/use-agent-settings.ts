import { useQueryClient } from '@tanstack/react-query';
import type { AgentSettings, Settings } from '@ship/protocol';
import { loadApi } from '../../../api/load.ts';
import { settingsQuery } from '../../../data/queries.ts';
import { useAction } from '../../../data/use-action.ts';

/** A change is applied to the latest settings, so that it keeps what others added meanwhile. */
export type AgentChange = (agent: AgentSettings) => Partial<AgentSettings>;

export function useAgentSettings(onDone?: () => void) {
  const client = useQueryClient();
  return useAction(
    async (change: AgentChange) => {
      const { agent }: Settings = await client.ensureQueryData(settingsQuery);
      return (await loadApi()).patchSettings({ agent: change(agent) });
    },
    {
      showsErrorInline: onDone !== undefined,
      onDone: (saved) => {
        client.setQueryData(settingsQuery.queryKey, saved);
        onDone?.();
      },
    },
  );
}

/** Replaces the item called `name`, or appends `next`. */
export const put = <Named extends { name: string }>(
  all: readonly Named[],
  name: string | null,
  next: Named,
): Named[] => (name === null ? [...all, next] : all.map((one) => (one.name === name ? next : one)));

export const without = <Named extends { name: string }>(all: readonly Named[], name: string) =>
  all.filter((one) => one.name !== name);
