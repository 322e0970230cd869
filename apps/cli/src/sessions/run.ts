import type { AgentMode } from '@ship/protocol';
import { type ClientOptions, whileServerStarts } from '../client/with-server.ts';
import { repositoryLocation } from './repository.ts';

export interface RunOptions extends ClientOptions {
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

/** `ship run`: starts a session for one task. */
export async function runTask(task: string, options: RunOptions): Promise<void> {
  const startedAtMs = Date.now();
  const repository = repositoryLocation(options.repo);
  const json = options.json ?? false;
  const request = {
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
      // A temporary server ends with this command, so the command must wait for the work.
      const mustWait = options.wait === true || server.isTemporary;
      const result = await startSession(server, { request, mustWait, json, startedAtMs });
      finish(result, json, server, options);
    },
  );
}
