import { type AgentGrant, secretsNeeded } from '@ship/core';
import type { Repositories } from './repositories.ts';
import type { Secrets } from './secrets.ts';
import type { SettingsStore } from './settings.ts';

interface Tables {
  settings: SettingsStore;
  repositories: Repositories;
  secrets: Secrets;
}

/** What the agent of a session on this repository is given; null when it is not yet known which one that will be. */
export async function readAgentGrant(
  { settings, repositories, secrets }: Tables,
  location: string | null,
): Promise<AgentGrant> {
  const { agent } = settings.read().settings;
  const repository = location === null ? undefined : repositories.findByLocation(location);
  const needed = secretsNeeded(agent);
  return {
    settings: agent,
    repositoryInstructions: repository?.instructions ?? null,
    secrets: await secrets.readSome(repository?.repositoryId ?? null, needed),
  };
}
