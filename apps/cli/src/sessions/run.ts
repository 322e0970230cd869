import type { AgentMode, SessionCreate } from '@ship/protocol';
import { type Server, type TalkOptions, withServer } from '../client/with-server.ts';
import type { RunResult } from '../result/result.ts';
import { finish } from './finish.ts';
import { repositoryLocation } from './repository.ts';
import { waitForSession } from './wait.ts';

export interface RunOptions extends TalkOptions {
  repo: string;
  base?: string;
  branch?: string;
  model?: string;
  budget?: number;
  mode: AgentMode;
  wait?: boolean;
}

/** `ship run`: a new session for one task. */
export async function runTask(task: string, options: RunOptions): Promise<void> {
  const startedAtMs = Date.now();
  const repository = repositoryLocation(options.repo);
  const json = options.json ?? false;
  await withServer(options, async (server) => {
    const asked = {
      repository,
      prompt: task,
      base: options.base ?? null,
      branch: options.branch ?? null,
      model: options.model ?? null,
      budgetUsd: options.budget ?? null,
      mode: options.mode,
      source: 'cli' as const,
    };
    // A server that ends with this command has nobody to work for once the command is over.
    const mustWait = options.wait === true || server.isOurs;
    finish(await startSession({ server, asked, mustWait, json, startedAtMs }), json);
  });
}

interface Start {
  server: Server;
  asked: Omit<SessionCreate, 'requestId' | 'title' | 'cardId' | 'draftId'>;
  mustWait: boolean;
  json: boolean;
  startedAtMs: number;
}

export async function startSession(start: Start): Promise<RunResult | undefined> {
  const { server, asked, mustWait, json, startedAtMs } = start;
  const { sessionId } = await server.client.createSession(asked);
  if (mustWait) return waitForSession({ server, sessionId, json, startedAtMs });
  if (!json) process.stdout.write(`${server.pageUrl}/sessions/${sessionId}\n`);
  return {
    sessionId,
    status: 'working',
    branch: asked.branch,
    base: asked.base,
    commits: [],
    pullRequest: null,
    cost: { usd: 0, inputTokens: 0, outputTokens: 0 },
    timings: {
      sandboxReadyMs: null,
      cloneMs: null,
      agentReadyMs: null,
      firstTokenMs: null,
      turnMs: null,
      pullRequestMs: null,
      modelMs: null,
      totalMs: Date.now() - startedAtMs,
    },
    error: null,
  };
}
