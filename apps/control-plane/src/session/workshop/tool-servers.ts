import { type AgentGrant, type AgentTools, agentTools, reasonOf, sessionEvent } from '@ship/core';
import { type MissingServer, TOOL_SERVER_LIMITS, type TurnId } from '@ship/protocol';
import type { Agent, AgentConfig } from '../../agent/port.ts';
import type { SessionStore } from '../session-store.ts';
import { eventsOfTurn } from './turn-events.ts';

/** The agent's tools, and the secrets to mask in reports about them. */
export interface Granted {
  tools: AgentTools;
  secrets: AgentGrant['secrets'];
}

export function grantedBy(grant: AgentGrant): Granted {
  return { tools: agentTools(grant), secrets: grant.secrets };
}

export const toolsConfig = ({
  tools,
}: Granted): Pick<AgentConfig, 'instructions' | 'skills' | 'mcp'> => ({
  instructions: tools.instructions,
  skills: tools.skills,
  mcp: tools.servers,
});

/** An agent that started before the checkout could not start the servers of the repository. */
export async function retryServers(agent: Agent, { tools }: Granted): Promise<void> {
  const { servers } = tools;
  if (Object.values(servers).some(({ kind }) => kind === 'local')) await agent.retryServers();
}

/** Records once per turn which MCP servers are missing. Waits for slow ones, so the caller does not await it. */
export async function reportMissingServers(
  agent: Agent,
  { tools, secrets }: Granted,
  store: SessionStore,
  turnId: TurnId,
): Promise<void> {
  const hasServers = Object.keys(tools.servers).length > 0;
  const broken: MissingServer[] = hasServers ? await agent.brokenServers() : [];
  const servers = [...tools.missing, ...broken]
    .slice(0, TOOL_SERVER_LIMITS.servers)
    .map(({ name, reason }) => ({ name, reason: reasonOf(reason, secrets) }));
  if (servers.length === 0) return;
  for (const { type } of eventsOfTurn(store, turnId)) if (type === 'tool-servers.missed') return;
  store.record([sessionEvent('tool-servers.missed', { turnId, servers })]);
}
