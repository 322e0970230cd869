import { SETUP_AGENT_TITLE, setupAgentFacts, setupAgentPrompt } from '@ship/core';
import { type TalkOptions, whileServerStarts } from '../client/with-server.ts';
import { repositoryLocation } from './repository.ts';

export interface SetupAgentOptions extends TalkOptions {
  repo: string;
  base?: string;
  wait?: boolean;
}

/** `ship setup`: a session whose pull request says how the repository is set up, started and verified. */
export async function startSetupAgent(options: SetupAgentOptions): Promise<void> {
  const startedAtMs = Date.now();
  const repository = repositoryLocation(options.repo);
  const json = options.json ?? false;
  const asked = {
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
      // An agent that is told nothing finds out for itself: a plan that cannot be made is no reason to stop.
      const plan = await server.client.environment.plan({ location: repository }).catch(() => null);
      const prompt = setupAgentPrompt(setupAgentFacts(plan, null));
      // A server that ends with this command has no time to work once the command is over.
      const mustWait = options.wait === true || server.isOurs;
      const wish = { asked: { ...asked, prompt }, mustWait, json, startedAtMs };
      finish(await startSession(server, wish), json, server, { isSetupExpected: true });
    },
  );
}
