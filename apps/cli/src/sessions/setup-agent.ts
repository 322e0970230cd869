import { SETUP_AGENT_TITLE, setupAgentFacts, setupAgentPrompt } from '@ship/core';
import { type ClientOptions, whileServerStarts } from '../client/with-server.ts';
import { repositoryLocation } from './repository.ts';

export interface SetupAgentOptions extends ClientOptions {
  repo: string;
  base?: string;
  wait?: boolean;
}

/** `ship setup`: starts a session whose pull request adds scripts that set up, start and verify the repository. */
export async function startSetupAgent(options: SetupAgentOptions): Promise<void> {
  const startedAtMs = Date.now();
  const repository = repositoryLocation(options.repo);
  const json = options.json ?? false;
  const request = {
    repository,
    title: SETUP_AGENT_TITLE,
    base: options.base ?? null,
    branch: null,
    model: null,
    budgetUsd: null,
    maxStepsPerTurn: null,
    mode: 'build' as const,
    source: 'cli' as const,
  };
  await whileServerStarts(
    options,
    () => import('./start-session.ts'),
    async (server, { startSession, finish }) => {
      // The plan is optional: without one, the agent detects everything itself.
      const plan = await server.client.environment.plan({ location: repository }).catch(() => null);
      const prompt = setupAgentPrompt(setupAgentFacts(plan, null));
      // A temporary server ends with this command, so the command must wait for the work.
      const mustWait = options.wait === true || server.isTemporary;
      const input = { request: { ...request, prompt }, mustWait, json, startedAtMs };
      finish(await startSession(server, input), json, server, { isSetupExpected: true });
    },
  );
}
