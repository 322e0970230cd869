import { type AgentGrant, secretsNeeded } from '@ship/core';
import type { Repositories } from './repositories.ts';
import type { Secrets } from './secrets.ts';
import type { SettingsStore } from './settings.ts';

interface Tables {
  settings: SettingsStore;
  repositories: Repositories;
  secrets: Secrets;
}

/** The settings, instructions and secrets for an agent on this repository; `location` is null while it is unknown. */
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
