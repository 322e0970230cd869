import type { AgentMode } from '@ship/protocol';
import { type TalkOptions, whileServerStarts } from '../client/with-server.ts';
import { repositoryLocation } from './repository.ts';

export interface RunOptions extends TalkOptions {
  repo: string;
  base?: string;
  branch?: string;
  model?: string;
  budget?: number;
  steps?: number;
  mode: AgentMode;
  wait?: boolean;
  allowFailingTests?: boolean;
}

/** `ship run`: a new session for one task. */
export async function runTask(task: string, options: RunOptions): Promise<void> {
  const startedAtMs = Date.now();
  const repository = repositoryLocation(options.repo);
  const json = options.json ?? false;
  const asked = {
    repository,
    prompt: task,
    base: options.base ?? null,
    branch: options.branch ?? null,
    model: options.model ?? null,
    budgetUsd: options.budget ?? null,
    maxStepsPerTurn: options.steps ?? null,
    mode: options.mode,
    source: 'cli' as const,
  };
  await whileServerStarts(
    options,
    () => import('./start-session.ts'),
    async (server, { startSession, finish }) => {
      // A server that ends with this command has nobody to work for once the command is over.
      const mustWait = options.wait === true || server.isOurs;
      const result = await startSession(server, { asked, mustWait, json, startedAtMs });
      finish(result, json, server, options);
    },
  );
}
